"""The types of a workflow's fields in requests, which are checked but not stored."""

from typing import Annotated, Literal

from msgspec import UNSET, Struct, UnsetType, field

from mock_server.api.operations.related import fields
from mock_server.api.operations.related.workflow_tools import SystemInput, ToolConfig
from mock_server.api.operations.related.workflow_values import (
    ColorSchema,
    NodeType,
    Number,
    Option,
    OptionalNumber,
    OptionalObject,
    OptionalSwitch,
    OptionalText,
    RenderType,
    SetValueType,
    Switch,
    ValueType,
)


class ListedOption(Option):
    """A value that a user may select from a list."""

    icon: OptionalText = UNSET
    description: OptionalText = UNSET


class Mark(Struct):
    """A mark of a slider."""

    label: str
    value: Number


class UsedModel(Struct):
    """The name of a model."""

    model: str


class DatasetOption(Struct, rename="camel"):
    """A dataset that a user may select."""

    dataset_id: str
    avatar: str
    name: str
    vector_model: UsedModel
    is_deleted: OptionalSwitch = UNSET


class FieldSettings(Struct, rename="camel"):
    """The fields that a user may add to a node, and how an editor shows them."""

    select_value_type_list: list[SetValueType] | UnsetType = UNSET
    show_default_value: OptionalSwitch = UNSET
    show_description: OptionalSwitch = UNSET
    hide_bottom_divider: OptionalSwitch = UNSET


class FileChoice(Struct, rename="camel", kw_only=True):
    """The kinds of files that a user may upload, and their number."""

    max_files: OptionalNumber = UNSET
    can_select_file: OptionalSwitch = UNSET
    can_select_img: OptionalSwitch = UNSET
    can_select_video: OptionalSwitch = UNSET
    can_select_audio: OptionalSwitch = UNSET
    can_select_custom_file_extension: OptionalSwitch = UNSET
    custom_file_extension_list: list[str] | UnsetType = UNSET
    custom_pdf_parse: OptionalSwitch = UNSET


class InputFields(FileChoice, kw_only=True):
    """Fields that inputs of nodes and variables share."""

    key: str
    label: str
    value_type: ValueType = UNSET
    required: OptionalSwitch = UNSET
    reference_placeholder: OptionalText = UNSET
    is_rich_text: OptionalSwitch = UNSET
    placeholder: OptionalText = UNSET
    max_length: OptionalNumber = UNSET
    min_length: OptionalNumber = UNSET
    mark_list: list[Mark] | UnsetType = UNSET
    step: OptionalNumber = UNSET
    max: OptionalNumber = UNSET
    min: OptionalNumber = UNSET
    precision: OptionalNumber = UNSET
    can_local_upload: OptionalSwitch = UNSET
    can_url_upload: OptionalSwitch = UNSET
    time_granularity: Literal["day", "hour", "minute", "second"] | UnsetType = UNSET
    time_range_start: OptionalText = UNSET
    time_range_end: OptionalText = UNSET
    dataset_options: list[DatasetOption] | UnsetType = UNSET
    custom_input_config: FieldSettings | UnsetType = UNSET
    enums: list[Option] | UnsetType = UNSET
    listed: list[ListedOption] | UnsetType = field(name="list", default=UNSET)


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

    render_type_list: list[RenderType]
    selected_type: RenderType | UnsetType = UNSET
    selected_type_index: OptionalNumber = UNSET
    value_desc: OptionalText = UNSET
    debug_label: OptionalText = UNSET
    description: OptionalText = UNSET
    tool_description: OptionalText = UNSET
    is_tool_param: OptionalSwitch = UNSET
    custom_json_schema: OptionalObject = UNSET
    enum: OptionalText = UNSET
    input_list: list[SystemInput] | UnsetType = UNSET
    can_edit: OptionalSwitch = UNSET
    is_pro: OptionalSwitch = UNSET
    is_tool_output: OptionalSwitch = UNSET
    deprecated: OptionalSwitch = UNSET


class NodeOutput(Struct, rename="camel", kw_only=True):
    """An output of a node."""

    id: str
    key: str
    type: Literal["hidden", "error", "source", "static", "dynamic"]
    value_type: ValueType = UNSET
    value_desc: OptionalText = UNSET
    label: OptionalText = UNSET
    description: OptionalText = UNSET
    required: OptionalSwitch = UNSET
    invalid: OptionalSwitch = UNSET
    custom_field_config: FieldSettings | UnsetType = UNSET
    deprecated: OptionalSwitch = UNSET


class Position(Struct):
    """The place where an editor draws a node."""

    x: Number
    y: Number


class PluginData(Struct, rename="camel", kw_only=True):
    """Texts and pictures of the plugin of a node."""

    diagram: OptionalText = UNSET
    user_guide: OptionalText = UNSET
    course_url: OptionalText = UNSET
    readme_url: OptionalText = UNSET
    name: OptionalText = UNSET
    avatar: OptionalText = UNSET
    error: OptionalText = UNSET
    status: Literal["Normal", "SoonOffline", "Offline"] | UnsetType = UNSET


class Node(Struct, rename="camel", kw_only=True):
    """A node of a workflow."""

    node_id: str
    flow_node_type: NodeType
    name: str
    inputs: list[NodeInput]
    outputs: list[NodeOutput]
    parent_node_id: OptionalText = UNSET
    abandon: OptionalSwitch = UNSET
    avatar: OptionalText = UNSET
    avatar_linear: OptionalText = UNSET
    color_schema: ColorSchema | UnsetType = UNSET
    intro: OptionalText = UNSET
    tool_description: OptionalText = UNSET
    show_status: OptionalSwitch = UNSET
    version: OptionalText = UNSET
    version_label: OptionalText = UNSET
    is_latest_version: OptionalSwitch = UNSET
    catch_error: OptionalSwitch = UNSET
    plugin_id: OptionalText = UNSET
    source: OptionalText = UNSET
    is_folder: OptionalSwitch = UNSET
    current_cost: OptionalNumber = UNSET
    system_key_cost: OptionalNumber = UNSET
    has_token_fee: OptionalSwitch = UNSET
    has_system_secret: OptionalSwitch = UNSET
    readme_url: OptionalText = UNSET
    plugin_data: PluginData | UnsetType = UNSET
    tool_config: ToolConfig | UnsetType = UNSET
    position: Position | UnsetType = UNSET


class Edge(Struct, rename="camel"):
    """A connection from one node to another."""

    source: str
    source_handle: str
    target: str
    target_handle: str


class Feature(Struct, rename="camel", kw_only=True):
    """A feature, on or off, and its settings; a feature has some of these fields."""

    open: Switch
    default_prompt: OptionalText = UNSET
    model: OptionalText = UNSET
    custom_prompt: OptionalText = UNSET
    auto_send: OptionalSwitch = UNSET
    auto_tts_response: OptionalSwitch = field(name="autoTTSResponse", default=UNSET)


class InputGuide(Struct, rename="camel"):
    """The source of suggestions for a user's input."""

    open: Switch
    custom_url: str


class Speech(Struct):
    """Settings for reading a reply aloud."""

    type: Literal["none", "web", "model"]
    model: OptionalText = UNSET
    voice: OptionalText = UNSET
    speed: OptionalNumber = UNSET


class Trigger(Struct, rename="camel"):
    """The schedule by which an application runs."""

    cron_string: OptionalText = UNSET
    timezone: OptionalText = UNSET
    default_prompt: OptionalText = UNSET


class ChatConfig(Struct, rename="camel", kw_only=True):
    """The settings of an application's chats."""

    welcome_text: OptionalText = UNSET
    variables: list[Variable] | UnsetType = UNSET
    auto_execute: Feature | UnsetType = UNSET
    question_guide: Feature | UnsetType = UNSET
    tts_config: Speech | UnsetType = UNSET
    whisper_config: Feature | UnsetType = UNSET
    scheduled_trigger_config: Trigger | UnsetType = UNSET
    chat_input_guide: InputGuide | UnsetType = UNSET
    file_select_config: FileChoice | UnsetType = UNSET
    instruction: OptionalText = UNSET


Nodes = Annotated[list[Node], fields.IDLE] | UnsetType
Edges = Annotated[list[Edge], fields.IDLE] | UnsetType
Settings = Annotated[ChatConfig, fields.IDLE] | UnsetType
