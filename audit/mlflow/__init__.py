"""The MLflow sink; nothing else imports mlflow."""
