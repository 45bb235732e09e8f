"""Facts about devices: what the driver says of them, and what frameworks do."""
