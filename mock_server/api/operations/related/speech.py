"""The route that reads a reply aloud; the audio is always one second of silence."""

from typing import Annotated, Literal

from msgspec import UNSET, Struct, UnsetType

from mock_server.api.operations.related import fields, workflow_values
from mock_server.api.operations.related.route import Call, route
from mock_server.api.response import Response
from mock_server.domain.call import APP
from mock_server.domain.errors import InvalidField, refusal
from mock_server.domain.replies import Text
from mock_server.domain.sandboxes.state import State

VoiceNotFound = refusal("VoiceNotFound", "400 voiceNotFound", "500 500 error")

VOICES = ("alloy", "echo", "fable", "onyx", "nova", "shimmer")
"""The voices of every model."""
# ISO/IEC 11172-3: each frame has 1,152 samples. Side information of zeros means that no
# data follows, which is silence. The audio has 48 kHz, one channel and 32 kbit/s.
_HEADER, _FRAME_BYTES, _FRAMES = b"\xff\xfb\x14\xc0", 96, 42
SILENCE = _HEADER.ljust(_FRAME_BYTES, b"\0") * _FRAMES
"""One second of silence as MP3."""


class SpeechConfig(Struct, rename="camel"):
    """The model and the voice; `type` is required, but has no effect."""

    type: Literal["none", "web", "model"] | UnsetType = UNSET
    model: fields.LongText = ""
    voice: fields.LongText | UnsetType = UNSET
    speed: Annotated[workflow_values.OptionalNumber, fields.IDLE] = UNSET


class GetSpeechBody(fields.ChatFields, kw_only=True):
    """The text to read aloud, the model and the voice."""

    tts_config: SpeechConfig
    input: Text

    def check(self) -> None:
        """Raise InvalidField if `ttsConfig` has no `type`."""
        fields.ChatFields.check(self)
        if self.tts_config.type is UNSET:
            expected = "none or web or model"
            raise InvalidField(expected, "nothing", "$.ttsConfig.type")


def _encode(content: bytes, _: State) -> Response:
    return Response(200, content, content_type=b"audio/mpeg")


@route(
    "POST /api/core/chat/record/getSpeech",
    legacy_path="/api/core/chat/item/getSpeech",
    chinese="朗读回复：一秒钟的静音",
    since="4.14.11; at the older path before",
    differences="Both paths exist in all versions. Every model name is accepted, with "
    f"the voices {', '.join(VOICES)}. FastGPT sends the audio without a "
    "`Content-Type`.",
    access="visitor",
    refusals=(*APP, VoiceNotFound),
    data_type=str,
    encode=_encode,
    response_types=("audio/mpeg",),
    has_envelope=False,
)
def get_speech(call: Call, body: GetSpeechBody) -> bytes:
    """Read a text aloud; the audio is one second of silence.

    Returns MP3 for any text. A missing model or voice is refused first, then an unknown
    application, then an unknown voice.
    """
    model, voice = body.tts_config.model, body.tts_config.voice
    for name, value in (("model", model), ("voice", voice)):
        if not value:
            expected, place = f"the name of a {name}", f"$.ttsConfig.{name}"
            raise VoiceNotFound(expected, "nothing", place)
    call.app(body.app_id)
    if voice not in VOICES:
        expected = f"one of {', '.join(VOICES)}"
        raise VoiceNotFound.of(voice, expected, "$.ttsConfig.voice")
    return SILENCE
