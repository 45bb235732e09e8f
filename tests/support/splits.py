"""Splits of data in a folder, and audits of them."""

import polars as pl
from support.audits import audited, only

ROLES = ("train", "val", "test")


def tables(root, suffix="parquet", **splits):
    """One table a split, from columns or a frame; the datasets by their names, with those as roles if they are such."""
    (root / "data").mkdir(parents=True, exist_ok=True)
    datasets = {}
    for name, columns in splits.items():
        frame = columns if isinstance(columns, pl.DataFrame) else pl.DataFrame(columns, strict=False)
        if suffix == "csv":  # a row of one empty value would be an empty line
            frame = frame.with_columns(pl.int_range(frame.height).alias("row"))
        path = root / "data" / f"{name}.{suffix}"
        frame.write_parquet(path) if suffix == "parquet" else frame.write_csv(path)
        datasets[name] = {"path": f"data/{name}.{suffix}"} | ({"role": name} if name in ROLES else {})
    return datasets


def folders(root, **splits):
    """Files below `data/SPLIT/`, by their paths there; the datasets by their names."""
    for name, files in splits.items():
        for path, content in files.items():
            file = root / "data" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return {name: {"path": f"data/{name}"} | ({"role": name} if name in ROLES else {}) for name in splits}


def result(root, check, datasets, **parameters):
    """The result of one rule on these datasets."""
    return only(audited(root, {"check": check, "with": parameters}, datasets=datasets))


def told(found):
    """Subject, kind and severity of each violation."""
    return [(one.subject, one.kind, str(one.severity)) for one in found.violations]
