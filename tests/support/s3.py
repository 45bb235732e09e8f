"""Fixtures: a server that speaks S3, for all that is kept or found there."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def s3():
    """The URL of a server that speaks S3, and checks signatures and policies."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3, monkeypatch):
    """A client of that server, with credentials in the environment and an empty bucket `data`."""
    import boto3

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    client = boto3.client("s3", endpoint_url=s3)
    client.create_bucket(Bucket="data")
    yield client
    versions = client.list_object_versions(Bucket="data")
    for item in (*versions.get("Versions", ()), *versions.get("DeleteMarkers", ())):
        client.delete_object(Bucket="data", Key=item["Key"], VersionId=item["VersionId"])
    client.delete_bucket(Bucket="data")
