"""Write a public table in two parts, the younger patients to train on and the older ones to be judged by.

442 patients with diabetes: ten measurements at the start, and how far the disease had
come a year later (B. Efron, T. Hastie, I. Johnstone, R. Tibshirani 2004, "Least angle
regression", Annals of Statistics 32, https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html).
scikit-learn ships the values, so nothing is downloaded, and every machine writes the same bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from sklearn.datasets import load_diabetes

HERE = Path(__file__).parent
COLUMNS = ("age", "sex", "bmi", "blood_pressure", "tc", "ldl", "hdl", "tch", "ltg", "glucose", "progression")
OLDER = 55


def main() -> None:
    """Write data/train.csv and data/val.csv."""
    measured = load_diabetes(scaled=False)
    rows = [[*values, label] for values, label in zip(measured.data.tolist(), measured.target.tolist(), strict=True)]
    write("train", (row for row in rows if row[0] < OLDER))
    write("val", (row for row in rows if row[0] >= OLDER))


def write(name: str, rows: Iterable[list[float]]) -> None:
    """One part, whole numbers as such; `sex` is 1 or 2, as it was published."""
    with (HERE / "data" / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([f"{value:.10g}" for value in row] for row in rows)


if __name__ == "__main__":
    main()
