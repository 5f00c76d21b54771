"""A Spark job that releases the posterior of records on a cluster: see scale.md beside this file.

spark-submit spark_release.py --network clinic.bif --input s3a://clinic/patients/ --epsilon 0.5 \
    --ledger /secure/clinic.ledger --cap 1 --output clinic.json

The records stay on the executors; the driver gets grouped counts. Network, ledger and output are files of the driver: submit
with --deploy-mode client, on the machine that keeps the ledger. The driver needs discreet[spark]; the executors need nothing.
"""

import argparse
import sys
from pathlib import Path

import discreet
from discreet.data import spark_table
from discreet.errors import DiscreetError


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Release the posterior of records that Spark reads.")
    parser.add_argument("--network", required=True, help="network file: .bif or .json")
    parser.add_argument("--input", required=True, help="file or folder of Parquet, or of CSV with a name that ends in .csv")
    parser.add_argument("--epsilon", required=True, help="privacy budget to spend, exact: 0.5 or 1/2")
    parser.add_argument("--ledger", required=True, help="ledger of the privacy budget, on the driver")
    parser.add_argument("--cap", help="most that may ever be spent; needed once, when the data set is new")
    parser.add_argument("--dataset", default="default", help="data set in the ledger")
    parser.add_argument("--missing", help="declared level that stands for missing values")
    parser.add_argument("--output", required=True, help="release file to write, on the driver")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if Path(given.output).exists():  # to be found before the charge
        print(f"spark_release: {given.output} exists; choose another name.", file=sys.stderr)
        return 1
    try:
        network = discreet.read_network(given.network)
        ledger = discreet.Ledger(given.ledger, given.cap, dataset=given.dataset)
        records = spark_table(given.input)
        release = discreet.release(records, network, discreet.Laplace(given.epsilon), ledger=ledger, missing=given.missing)
    except DiscreetError as error:
        print(f"spark_release: {error}", file=sys.stderr)
        return 1
    release.save(given.output)
    print(f"The release is in {given.output}. {release.guarantee}; {ledger.remaining} remains.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
