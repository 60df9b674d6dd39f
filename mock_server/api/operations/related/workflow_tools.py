"""The types of the tools of a workflow's node, and of the inputs of a system tool."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from mock_server.api.operations.related.workflow_values import (
    Option,
    OptionalSwitch,
    OptionalText,
)


class Secret(Struct):
    """A secret value, plain or encrypted."""

    value: OptionalText = UNSET
    secret: OptionalText = UNSET


Secrets = dict[str, Secret] | UnsetType | None


class SystemInput(Struct, rename="camel", kw_only=True):
    """An input that an administrator sets for a system tool."""

    key: str
    label: str
    input_type: Literal["input", "numberInput", "secret", "switch", "select"]
    description: OptionalText = UNSET
    required: OptionalSwitch = UNSET
    value: Secret | UnsetType = UNSET
    listed: list[Option] | UnsetType = field(name="list", default=UNSET)


class JsonSchema(Struct):
    """A JSON Schema of what a tool takes or returns."""

    properties: dict[str, dict[str, Any]] | UnsetType = UNSET
    required: list[str] | UnsetType = UNSET


class ToolReference(Struct, rename="camel"):
    """The id of a tool."""

    tool_id: str
    source: OptionalText = UNSET


class DescribedTool(Struct, rename="camel", kw_only=True):
    """The name and the purpose of a tool."""

    name: str
    description: str


class SystemTool(DescribedTool, kw_only=True):
    """A tool of a system tool set."""

    tool_id: str


class McpTool(DescribedTool, kw_only=True):
    """A tool of an MCP server."""

    input_schema: JsonSchema | UnsetType = UNSET


class Pair(Struct):
    """A parameter, header or form field that a tool always sends."""

    key: str
    value: str


class StaticBody(Struct, rename="camel", kw_only=True):
    """The body that a tool always sends."""

    type: Literal[
        "none", "form-data", "x-www-form-urlencoded", "json", "xml", "raw-text"
    ]
    content: OptionalText = UNSET
    form_data: list[Pair] | UnsetType = UNSET


class HttpTool(McpTool, kw_only=True):
    """A tool that sends a request to a web server."""

    path: str
    method: str
    output_schema: JsonSchema | UnsetType = UNSET
    request_schema: JsonSchema | UnsetType = UNSET
    static_params: list[Pair] | UnsetType = UNSET
    static_headers: list[Pair] | UnsetType = UNSET
    static_body: StaticBody | UnsetType = UNSET
    header_secret: Secrets = UNSET


class SystemTools(ToolReference, kw_only=True):
    """The tools of a system tool set."""

    tool_list: list[SystemTool]


class McpTools(Struct, rename="camel", kw_only=True):
    """The tools of an MCP server."""

    url: str
    tool_list: list[McpTool]
    header_secret: Secrets = UNSET


class HttpTools(Struct, rename="camel", kw_only=True):
    """The tools of a web server."""

    tool_list: list[HttpTool]
    base_url: OptionalText = UNSET
    api_schema_str: OptionalText = UNSET
    custom_headers: OptionalText = UNSET
    header_secret: Secrets = UNSET


class ToolConfig(Struct, rename="camel", kw_only=True):
    """The tools of a node."""

    mcp_tool_set: McpTools | UnsetType = UNSET
    mcp_tool: ToolReference | UnsetType = UNSET
    system_tool: ToolReference | UnsetType = UNSET
    system_tool_set: SystemTools | UnsetType = UNSET
    http_tool_set: HttpTools | UnsetType = UNSET
    http_tool: ToolReference | UnsetType = UNSET
