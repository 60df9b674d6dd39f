"""Defines `mock-server why`, which explains a missing collection or an empty page."""

from collections.abc import Sequence
from urllib.parse import urlencode

import click
import msgspec

from mock_server.admin.resources.datasets import DatasetsView
from mock_server.api.operations.list_v2 import ListV2Body, ListV2Extensions
from mock_server.cli import output
from mock_server.cli.options import option
from mock_server.cli.remote import remote_command, show
from mock_server.cli.values import parse_fields, text_fields
from mock_server.control.client import AdminClient
from mock_server.domain.messages import known_names_hint
from mock_server.domain.why.explain import Why


@click.command()
@option("--dataset", metavar="ID", help="Id of the dataset.")
@option("--item", metavar="ID", help="The _id of a missing collection.")
@option("--key", help="API key of the request; by default an owner's.")
@option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("fields", metavar="[FIELD=VALUE]...", nargs=-1)
@remote_command
def why(
    client: AdminClient,
    dataset: str | None,
    item: str | None,
    key: str | None,
    as_json: bool,
    fields: Sequence[str],
) -> None:
    """Explain why a collection is not listed, or a page is empty.

    A FIELD is one of the body of listV2; a VALUE is JSON, or else text. Changes that
    would show the collection are printed too.

    Example (of the demo): mock-server why --dataset 6593e137231a2be9c5603ba7
    parentId=null searchText=install
    """
    if dataset is None:
        datasets = client.call(DatasetsView, "GET", "/datasets").value.datasets
        hint = known_names_hint("", (each.id for each in datasets), len(datasets))
        words = [each for each in fields if "=" not in each]
        got = f"{words[0]!r} without it" if words else "nothing"
        raise click.UsageError(f"Expected --dataset ID, got {got} ({hint})")
    request = parse_fields(fields, text_fields(ListV2Body, ListV2Extensions))
    query = {"dataset": dataset, "request": msgspec.json.encode(request).decode()}
    query |= {"item": item} if item is not None else {}
    query |= {"key": key} if key is not None else {}
    response = client.call(Why, "GET", f"/why?{urlencode(query)}")
    if as_json:
        show(response)
    else:
        output.echo("\n".join(_lines(response.value)))


def _lines(why: Why) -> list[str]:
    lines = [why.message]
    # The first stage has the total. Others are left out if they exclude nothing.
    useful = [each for each in why.stages if each.kept_out or each.removes_item]
    for each in [*why.stages[:1], *(each for each in useful if each.name != "dataset")]:
        mark = "x" if each.removes_item else "-"
        lines.append(
            f"  {mark} {each.message}: {each.kept_out:,} out, {each.left:,} left"
        )
    lines += [f"to see it: {each.message}" for each in why.remedies]
    if not (why.shown or why.remedies):
        lines.append("no setting shows it")
    return lines
