from __future__ import annotations

import pytest

from audit.mlflow import redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://host:5000", "http://host:5000"),
        ("https://user:secret@host/path?token=abc", "https://host/path"),
        ("https://us@er:p@ss@host/a@b", "https://host/a@b"),
        ("postgresql+psycopg2://u:p@db/mlflow?sslmode=require", "postgresql+psycopg2://db/mlflow"),
        ("sqlite:////srv/mlflow.db", "sqlite:////srv/mlflow.db"),
        (
            "call to http://u:p@h/api/get?name=x failed (url: /api/get?name=x)",
            "call to http://h/api/get failed (url: /api/get)",
        ),
        ("what is this?", "what is this"),
        ("me:secret@host/path", "host/path"),
    ],
)
def test_urls_lose_their_user_part_and_query(text: str, shown: str) -> None:
    assert redact.url(text) == shown


def test_values_of_secret_variables_do_not_get_out() -> None:
    environment = {"MLFLOW_TRACKING_TOKEN": "tok-123456", "DB_PASSWORD": "short", "HOME": "/home/someone", "A_KEY": ""}
    text = "tok-123456 is refused for /home/someone in short"
    assert redact.message(text, environment) == "*** is refused for /home/someone in short"
