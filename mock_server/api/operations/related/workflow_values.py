"""The kinds of values in a workflow's fields: switches, numbers, types of nodes."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, UnsetType

_ZERO_OR_ONE = Meta(ge=0, le=1, extra={"expected": "0 or 1"})
Switch = bool | Annotated[int, _ZERO_OR_ONE] | str
"""A boolean, which FastGPT also accepts as 0, 1 or any text."""
OptionalSwitch = Switch | UnsetType
_DIGITS = Meta(
    pattern=r"^[-+]?[0-9]{0,30}(\.[0-9]{0,15})?$", extra={"expected": "digits"}
)
Number = float | Annotated[str, _DIGITS] | bool | None
OptionalNumber = Number | UnsetType
OptionalObject = dict[str, Any] | UnsetType
OptionalText = str | UnsetType
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
RenderType = Literal[
    "reference",
    "input",
    "textarea",
    "numberInput",
    "switch",
    "select",
    "multipleSelect",
    "JSONEditor",
    "addInputParam",
    "customVariable",
    "selectApp",
    "selectLLMModel",
    "settingLLMModel",
    "selectDataset",
    "selectDatasetParamsModal",
    "settingDatasetQuotePrompt",
    "hidden",
    "custom",
    "selectSkill",
    "selectTool",
    "fileSelect",
    "timePointSelect",
    "timeRangeSelect",
    "password",
    "agentGenerated",
]
"""The ways in which an editor shows an input."""
ColorSchema = Literal[
    "pink",
    "blue",
    "blueLight",
    "blueDark",
    "orange",
    "purple",
    "teal",
    "green",
    "greenLight",
    "indigo",
    "coral",
    "lime",
    "violet",
    "violetDeep",
    "yellowGreen",
    "lafTeal",
    "skyBlue",
    "salmon",
    "gray",
    "emerald",
    "loopRun",
]
SetValueType = Literal[
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
ValueType = SetValueType | UnsetType


class Option(Struct):
    """A value that a user may select for an input or a variable."""

    label: str
    value: str
