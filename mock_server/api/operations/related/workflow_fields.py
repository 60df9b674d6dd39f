"""The types of a workflow's fields in requests, which are checked but not stored.

The fields of a tool in a tool set, and the inputs of a system tool, are not checked.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.operations.related import fields

_ONE = Meta(ge=0, le=1, extra={"expected": "0 or 1"})
Switch = bool | Annotated[int, _ONE] | str
"""A boolean, which FastGPT also accepts as 0, 1 or any text."""
Flag = Switch | UnsetType
_NUMBER = Meta(
    pattern=r"^[-+]?[0-9]{0,15}(\.[0-9]{0,15})?$", extra={"expected": "digits"}
)
Number = float | Annotated[str, _NUMBER] | bool | UnsetType | None
Objects = list[dict[str, Any]] | UnsetType
Some = dict[str, Any] | UnsetType
Text = str | UnsetType
NodeType = Literal[
    "emptyNode",
    "userGuide",
    "pluginConfig",
    "globalVariable",
    "comment",
    "workflowStart",
    "chatNode",
    "datasetSearchNode",
    "datasetConcatNode",
    "answerNode",
    "classifyQuestion",
    "contentExtract",
    "httpRequest468",
    "pluginInput",
    "pluginOutput",
    "cfr",
    "agent",
    "tools",
    "stopTool",
    "toolParams",
    "ifElseNode",
    "variableUpdate",
    "code",
    "textEditor",
    "customFeedback",
    "readFiles",
    "userSelect",
    "loop",
    "loopStart",
    "loopEnd",
    "parallelRun",
    "loopRun",
    "loopRunStart",
    "loopRunBreak",
    "formInput",
    "tool",
    "toolSet",
    "appModule",
    "pluginModule",
    "app",
]
ValueType = (
    Literal[
        "string",
        "number",
        "boolean",
        "object",
        "arrayString",
        "arrayNumber",
        "arrayBoolean",
        "arrayObject",
        "arrayAny",
        "any",
        "chatHistory",
        "datasetQuote",
        "dynamic",
        "selectDataset",
        "selectApp",
    ]
    | UnsetType
)


class Option(Struct):
    """A value that a user may select for an input or a variable."""

    label: str
    value: str


Options = list[Option] | UnsetType


class Mark(Struct):
    """A mark of a slider."""

    label: str
    value: float | Annotated[str, _NUMBER] | bool | None


class UsedModel(Struct):
    """The name of a model."""

    model: str


class DatasetOption(Struct, rename="camel"):
    """A dataset that a user may select."""

    dataset_id: str
    avatar: str
    name: str
    vector_model: UsedModel


class FileChoice(Struct, rename="camel", kw_only=True):
    """The kinds of files that a user may upload, and their number."""

    max_files: Number = UNSET
    can_select_file: Flag = UNSET
    can_select_img: Flag = UNSET
    can_select_video: Flag = UNSET
    can_select_audio: Flag = UNSET
    can_select_custom_file_extension: Flag = UNSET
    custom_file_extension_list: list[str] | UnsetType = UNSET
    custom_pdf_parse: Flag = UNSET


class InputFields(FileChoice, kw_only=True):
    """Fields that inputs of nodes and variables share."""

    key: str
    label: str
    value_type: ValueType = UNSET
    required: Flag = UNSET
    reference_placeholder: Text = UNSET
    is_rich_text: Flag = UNSET
    placeholder: Text = UNSET
    max_length: Number = UNSET
    min_length: Number = UNSET
    mark_list: list[Mark] | UnsetType = UNSET
    step: Number = UNSET
    max: Number = UNSET
    min: Number = UNSET
    precision: Number = UNSET
    can_local_upload: Flag = UNSET
    can_url_upload: Flag = UNSET
    time_granularity: Literal["day", "hour", "minute", "second"] | UnsetType = UNSET
    time_range_start: Text = UNSET
    time_range_end: Text = UNSET
    dataset_options: list[DatasetOption] | UnsetType = UNSET
    custom_input_config: Some = UNSET
    enums: Options = UNSET
    list: Options = UNSET


class Variable(InputFields, kw_only=True):
    """A variable of an application."""

    type: Literal[
        "input",
        "textarea",
        "numberInput",
        "select",
        "multipleSelect",
        "timePointSelect",
        "timeRangeSelect",
        "switch",
        "password",
        "file",
        "llmSelect",
        "datasetSelect",
        "custom",
        "internal",
    ]
    description: str


class NodeInput(InputFields, kw_only=True):
    """An input of a node."""

    render_type_list: list[str]
    selected_type: Text = UNSET
    selected_type_index: Number = UNSET
    value_desc: Text = UNSET
    debug_label: Text = UNSET
    description: Text = UNSET
    tool_description: Text = UNSET
    is_tool_param: Flag = UNSET
    custom_json_schema: Some = UNSET
    enum: Text = UNSET
    input_list: Objects = UNSET
    can_edit: Flag = UNSET
    is_pro: Flag = UNSET
    is_tool_output: Flag = UNSET
    deprecated: Flag = UNSET


class NodeOutput(Struct, rename="camel", kw_only=True):
    """An output of a node."""

    id: str
    key: str
    type: Literal["hidden", "error", "source", "static", "dynamic"]
    value_type: ValueType = UNSET
    value_desc: Text = UNSET
    label: Text = UNSET
    description: Text = UNSET
    required: Flag = UNSET
    invalid: Flag = UNSET
    custom_field_config: Some = UNSET
    deprecated: Flag = UNSET


class Position(Struct):
    """The place where an editor draws a node."""

    x: float
    y: float


class PluginData(Struct, rename="camel", kw_only=True):
    """Texts and pictures of the plugin of a node."""

    diagram: Text = UNSET
    user_guide: Text = UNSET
    course_url: Text = UNSET
    readme_url: Text = UNSET
    name: Text = UNSET
    avatar: Text = UNSET
    error: Text = UNSET
    status: Literal["Normal", "SoonOffline", "Offline"] | UnsetType = UNSET


class Tool(Struct, rename="camel"):
    """The id of a tool."""

    tool_id: str


class Tools(Struct, rename="camel"):
    """The tools of a set."""

    tool_list: list[Any]


class SystemTools(Tools, kw_only=True):
    """The tools of a system tool."""

    tool_id: str


class McpTools(Tools, kw_only=True):
    """The tools of an MCP server."""

    url: str


class ToolConfig(Struct, rename="camel", kw_only=True):
    """Tools of a node."""

    mcp_tool_set: McpTools | UnsetType = UNSET
    mcp_tool: Tool | UnsetType = UNSET
    system_tool: Tool | UnsetType = UNSET
    system_tool_set: SystemTools | UnsetType = UNSET
    http_tool_set: Tools | UnsetType = UNSET
    http_tool: Tool | UnsetType = UNSET


class Node(Struct, rename="camel", kw_only=True):
    """A node of a workflow."""

    node_id: str
    flow_node_type: NodeType
    name: str
    inputs: list[NodeInput]
    outputs: list[NodeOutput]
    parent_node_id: Text = UNSET
    abandon: Flag = UNSET
    avatar: Text = UNSET
    avatar_linear: Text = UNSET
    color_schema: Text = UNSET
    intro: Text = UNSET
    tool_description: Text = UNSET
    show_status: Flag = UNSET
    version: Text = UNSET
    version_label: Text = UNSET
    is_latest_version: Flag = UNSET
    catch_error: Flag = UNSET
    plugin_id: Text = UNSET
    source: Text = UNSET
    is_folder: Flag = UNSET
    current_cost: Number = UNSET
    system_key_cost: Number = UNSET
    has_token_fee: Flag = UNSET
    has_system_secret: Flag = UNSET
    readme_url: Text = UNSET
    plugin_data: PluginData | UnsetType = UNSET
    tool_config: ToolConfig | UnsetType = UNSET
    position: Position | UnsetType = UNSET


class Edge(Struct, rename="camel"):
    """A connection from one node to another."""

    source: str
    source_handle: str
    target: str
    target_handle: str


class Opened(Struct, rename="camel", kw_only=True):
    """A feature, on or off, and its settings; a feature has some of these fields."""

    open: Switch
    default_prompt: Text = UNSET
    model: Text = UNSET
    custom_prompt: Text = UNSET
    auto_send: Flag = UNSET
    auto_tts_response: Flag = field(name="autoTTSResponse", default=UNSET)


class InputGuide(Struct, rename="camel"):
    """The source of suggestions for a user's input."""

    open: Switch
    custom_url: str


class Speech(Struct):
    """Settings for reading a reply aloud."""

    type: Literal["none", "web", "model"]
    model: Text = UNSET
    voice: Text = UNSET
    speed: Number = UNSET


class Trigger(Struct, rename="camel"):
    """The schedule by which an application runs."""

    cron_string: Text = UNSET
    timezone: Text = UNSET
    default_prompt: Text = UNSET


class ChatConfig(Struct, rename="camel", kw_only=True):
    """The settings of an application's chats."""

    welcome_text: Text = UNSET
    variables: list[Variable] | UnsetType = UNSET
    auto_execute: Opened | UnsetType = UNSET
    question_guide: Opened | UnsetType = UNSET
    tts_config: Speech | UnsetType = UNSET
    whisper_config: Opened | UnsetType = UNSET
    scheduled_trigger_config: Trigger | UnsetType = UNSET
    chat_input_guide: InputGuide | UnsetType = UNSET
    file_select_config: FileChoice | UnsetType = UNSET
    instruction: Text = UNSET


Nodes = Annotated[list[Node], fields.IDLE] | UnsetType
Edges = Annotated[list[Edge], fields.IDLE] | UnsetType
Settings = Annotated[ChatConfig, fields.IDLE] | UnsetType
