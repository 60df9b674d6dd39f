"""Every limit of the server: one name, one default, one place."""

from dataclasses import dataclass
from typing import Final


class Published:
    """Bounds that are part of published types and messages: nobody sets others.

    Units are in the names or in the lines below, here as in the other classes; all are
    maxima unless they say otherwise.
    """

    # Fields

    page_size: Final = 30
    """Items of a page (spec 8)."""
    related_page_size: Final = 1_000
    """Items of a page of a related route; the service bounds most of them not."""
    page_bytes: Final = 8 * 1024 * 1024
    """Bytes of the items of a page of a related route, unless its first alone takes
    more: all others would wait for more to be written."""
    id_chars: Final = 256
    """Characters of an id."""
    key_chars: Final = 1_024
    """Characters of an API key."""
    token_chars: Final = 4 * 1024
    """Characters of a token that an address ends with."""
    user_chars: Final = 256
    """Characters of a username, and of a password."""
    search_chars: Final = 1_024
    """Characters of a searchText."""
    title_chars: Final = 1_024
    """Characters of a chat's title."""
    name_chars: Final = 1_024
    """Characters of the name of a dataset or a collection."""
    intro_chars: Final = 16 * 1024
    """Characters of a dataset's introduction, and of the address of its avatar."""
    ids: Final = 1_000
    """Ids that one request names."""
    text_chars: Final = 1024 * 1024
    """Characters of a text of a data row, of a chat record, or of a reply."""
    tags: Final = 100
    """Tags of a filter."""
    integer: Final = 2**53 - 1
    """The largest integer that every JSON reader keeps exact (RFC 8259 6)."""

    api_key_name_chars: Final = 50
    """Characters of the name of an API key that a login creates."""
    member_api_keys: Final = 100
    """API keys that one member creates, as the service has it."""
    app_api_keys: Final = 10
    """API keys that one member creates for one app, and for none, up to 4.14."""

    # Messages and logs

    hinted_chars: Final = 256
    """Characters of a path for which messages suggest another one; of a word 64."""
    told_problems: Final = 8
    """Problems of a request that one message names; of more it says that there are."""
    told_chars: Final = 2_048
    """Characters of such a message, unless its first problem alone takes more."""
    listed_names: Final = 10
    """Names of what there is that the message about an unknown one lists."""
    request_id_chars: Final = 128
    """Characters of an X-Request-Id that counts."""
    waiting_lines: Final = 4_096
    """Lines that wait for a slow stdout or stderr; more are dropped, and counted."""

    # Requests

    free_body_bytes: Final = 64 * 1024
    """Bytes of a request body that are not charged to the memory budget."""
    json_depth: Final = 64
    """Nested arrays and objects of a document."""
    json_containers: Final = 50_000
    """Arrays and objects of a request body; millions take long to make."""
    json_values: Final = 50_000
    """Items and fields of all arrays and objects of a request body, beside the first of
    each; millions take long to read."""
    json_digits: Final = 256 * 1024
    """Digits of a request body that stand 64 or more in a row, as numbers; to read them
    exactly takes long."""
    refused_body_seconds: Final = 0.1
    """How long a refusal waits for a short body, unread, to show it in the journal."""
    discard_seconds: Final = 1.0
    """How long an unread request body is read and discarded after an early answer."""

    # Fixtures and states

    response_ms: Final = 60_000
    """Milliseconds that such a response may be held up."""
    response_header_chars: Final = 8 * 1024
    """Characters of one of them."""
    path_chars: Final = 1_024
    """Characters of its path."""
    stream_pieces: Final = 200
    """Events into which all texts of a streamed reply are divided, at most."""
    reply_parts: Final = 200
    """Parts of one reply."""
    pushed_rows: Final = 200
    """Data rows that one request pushes."""

    # Sandboxes

    sandbox_max_ttl: Final = 604_800.0
    """Seconds that a sandbox may ask to be kept without use: a week."""

    # Journals

    journal_page: Final = 1_000
    """Entries or collections that one admin answer lists."""
    violations: Final = 20
    """Violations that one entry lists."""
    verified_steps: Final = 100
    """Steps of one verification in order."""

    # Faults

    fault_times: Final = 10_000
    """How often one fault fires."""
    fault_ttl: Final = 600.0
    """Seconds for which a fault can fire."""
    fault_ms: Final = 60_000
    """Milliseconds for which a fault holds up one answer."""
    fault_plan: Final = 1_000
    """Decisions of a fault that are told beforehand."""
    new_seconds: Final = 0.05
    """Age up to which a connection counts as made for its first request."""
    matched_bytes: Final = 4 * 1024
    """Bytes of JSON that a fault may want in the body of a request; each request is
    compared with them."""
    answer_matched_bytes: Final = 1024
    """Bytes of JSON that an answer may want of a request; there may be a thousand."""
    answer_matched_values: Final = 64
    """Fields and items of what an answer may want of a request, nested ones too."""
    matched_tests: Final = 8
    """Texts of which a fault may want a part; `question` is one of them."""
    answer_tests: Final = 2
    """Texts of which an answer may want a part, as well."""
    searched_chars: Final = 4 * 1024
    """Characters of a text, from its beginning, in which a wanted part counts."""
    placeholders: Final = 1_000
    """Placeholders of an answer, of at most 64 names each; one that has any has at most
    `json_values` fields and items."""
    differing_bytes: Final = 16 * 1024
    """Bytes of JSON up to which an answer that is none of its operation's is told where
    it differs, in words of our own."""
    answered_segments: Final = 64
    """Segments of a path that is answered; each request is compared with each path."""
    altered_bytes: Final = 4 * 1024
    """Bytes of JSON that a fault may set on each item; on all items of a page together
    at most `response_bytes`."""

    # What `import har` reads

    har_bytes: Final = 100 * 1024 * 1024
    """Bytes of a HAR file."""
    told_requests: Final = 5
    """Requests that a message about what was left out names."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Limits:
    """The bounds that keep a server small, fast and predictable.

    They are handed in (`Environment.limits`), so that a test can set others.
    """

    # Fields

    keys: int = 1_000
    """API keys that fixtures declare."""
    users: int = 1_000
    """Users that fixtures declare."""
    api_keys: int = 1_000
    """API keys of one sandbox that logins create."""
    shares: int = 1_000
    """Share links that fixtures declare."""
    replies: int = 1_000
    """Replies of completions that fixtures declare."""

    # Messages and logs

    hinted_collections: int = 1_000
    """Collections of a dataset that is looked through to say why a page is empty."""
    logged_chars: int = 1_024
    """Characters of a path that a request line shows."""

    # Requests

    body_bytes: int = 1024 * 1024
    """Bytes of a request body."""
    text_body_bytes: int = 10 * 1024 * 1024
    """Bytes of a request body with texts or data rows to add."""
    upload_bytes: int = 16 * 1024 * 1024
    """Bytes of a file that is uploaded."""
    upload_text_bytes: int = 1024 * 1024
    """Bytes of an uploaded text that are kept."""
    uploads: int = 1_000
    """Files that are uploaded to one sandbox, or may be by a ticket."""
    form_parts: int = 100
    """Parts of a form in `multipart/form-data`."""
    form_field_bytes: int = 64 * 1024
    """Bytes of all parts of a form but its file."""
    body_pieces: int = 4_500
    """Chunks of a request body; many tiny ones cost more than a few large ones. The
    largest state in chunks of 8 KiB has 4,096 and a few."""
    headers: int = 100
    """Header fields of a request."""
    header_bytes: int = 64 * 1024
    """Bytes of a request's head, from its first line to the blank one."""
    head_line_bytes: int = 16 * 1024 - 1
    """Bytes of a request line, a header field or the line of a chunk, without the line
    end."""
    receipt_seconds: float = 10.0
    """From the first to the last byte of a request."""
    unread_seconds: float = 30.0
    """How long a client may take nothing of an answer that waits for it."""

    # Caches

    cached_text_bytes: int = 1024 * 1024
    """Bytes of one JSON text that is kept ready."""
    cached_searches: int = 4
    """Search results that a folder, or a dataset, keeps for the pages that follow."""
    cached_heads: int = 1_024
    """Request heads of which the parsed form is kept, so that clients with that many
    keys between them have theirs read once."""
    cached_head_bytes: int = 2_048
    """Bytes of a request head, or of a request in the journal, that is kept so."""

    # Fixtures and states

    fixture_bytes: int = 32 * 1024 * 1024
    """Bytes of one fixture file in YAML, or of a state that is put. YAML takes ten
    times its size in memory while it is read."""
    json_file_bytes: int = 256 * 1024 * 1024
    """Bytes of one fixture file in JSON."""
    fixture_collections: int = 2_000_000
    """Collections of all fixture files together, `repeat` expanded."""
    checked_repetitions: int = 10_000
    """Repetitions up to which entries are expanded although mistakes were found."""
    fixture_rows: int = 2_000_000
    """Data rows of all fixture files together, those in training included."""
    fixture_records: int = 2_000_000
    """Chat records of all fixture files together."""
    answers: int = 1_000
    """Answers in force in one sandbox, beside what its fixture declares."""
    responses: int = 1_000
    """Responses that fixtures declare for further paths."""
    response_bytes: int = 4 * 1024 * 1024
    """Bytes of the body of one such response."""
    responses_bytes: int = 16 * 1024 * 1024
    """Bytes of the bodies of all of them."""
    response_headers: int = 50
    """Header fields of such a response."""
    folder_depth: int = 100
    """Folders above a collection, and above a dataset."""
    fixture_alias_nodes: int = 10_000
    """YAML nodes that aliases may add to one file."""
    fixture_problems: int = 1_000
    """Problems that one report lists."""
    created_chats: int = 10_000
    """Chats that pins may add to one sandbox (choice chat_unknown=create)."""
    chat_records: int = 10_000
    """Records of a chat to which completions may add."""
    login_codes: int = 100
    """Users of one sandbox who have a login code at the same time."""
    collection_rows: int = 100_000
    """Data rows of one collection."""
    waiting_rows: int = 16 * 1024
    """Data rows of one sandbox that are added and wait for training, and chunks of one
    text: as many as an uploaded one may have."""
    searched_chars: int = 512 * 1024
    """Characters of data rows that one searchTest compares; a row counts as 100 at
    least, a character near marks that are composed as 32."""
    listed_search_chars: int = 4 * 1024 * 1024
    """Characters of data rows, or of datasets, that the search of one list compares; a
    row or a dataset counts as 40 at least, a character near marks that are composed
    as 32."""
    created_collections: int = 10_000
    """Collections that operations and single admin calls may add to one dataset."""
    changed_collections: int = 10_000
    """Collections that are changed with the folder that they are in."""
    created_datasets: int = 1_000
    """Datasets and folders of datasets that operations and single admin calls may add
    to one sandbox."""
    created_apps: int = 1_000
    """Applications that single admin calls may add to one sandbox."""
    dataset_folder_depth: int = 4
    """Folders of datasets within one another, as the service has it."""

    # Loading and sending over the admin API

    inline_load_bytes: int = 16 * 1024
    """Bytes of a document up to which it is loaded without a process of its own."""
    inline_load_collections: int = 2_000
    """Collections and chats of a state up to which that is so."""
    inline_load_size: int = 4 * 1024 * 1024
    """Bytes of memory of a state up to which that is so."""
    load_seconds: float = 60.0
    """Seconds that loading one document takes."""
    quiet_seconds: float = 0.1
    """How long fixture files have to stay as they are before they are loaded again."""
    settle_seconds: float = 10.0
    """How long is waited for that."""
    loads: int = 2
    """Large documents that are loaded at the same time."""
    sendings: int = 32
    """Large states that are sent at the same time."""

    # Sandboxes

    sandboxes: int = 1_000
    """Sandboxes beside the default one."""
    sandbox_ttl: float = 3_600.0
    """Seconds without use after which a sandbox ends, unless it says otherwise."""
    snapshots: int = 100
    """Snapshots of one sandbox."""

    # Journals

    journal_entries: int = 10_000
    """Entries that a journal keeps."""
    journal_bytes: int = 32 * 1024 * 1024
    """Bytes of memory that a journal's entries take, roughly."""
    journal_body_bytes: int = 8 * 1024
    """Bytes of a body that the journal keeps."""
    journal_page_bytes: int = 4 * 1024 * 1024
    """Bytes of JSON after which an answer lists no further entry."""
    journal_streams: int = 128
    """Clients that follow journals at the same time."""
    cached_events: int = 64
    """Entries that are kept as events, for all who follow."""
    stream_bytes: int = 256 * 1024
    """Bytes of memory that a stream is charged: an entry, and what waits to be read."""

    # Faults

    faults: int = 100
    """Faults of a sandbox that can still fire; as many spent ones are remembered."""
    resend_seconds: float = 1.0
    """How long after a fault of the connection a request counts as sent again by the
    client's HTTP layer (field `connections`)."""
    resends: int = 100
    """Requests of one fault that may be sent again at the same time."""
    limited_keys: int = 10_000
    """Keys of which one rate limit keeps the windows."""

    # Memory

    memory_bytes: int = 1024 * 1024 * 1024
    """Bytes of memory that all data of a server takes, unless it says otherwise
    (`--memory`)."""
    journals_bytes: int = 256 * 1024 * 1024
    """Bytes of memory that the journals of all sandboxes take; a quarter of the budget
    if that is less."""
    caches_bytes: int = 128 * 1024 * 1024
    """Bytes of memory that JSON kept ready takes; an eighth of the budget if that is
    less."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClientLimits:
    """What our own clients take of a server: commands, `control`, `pull`, `verify`."""

    # What our own clients read of a server

    answer_bytes: int = 64 * 1024 * 1024
    """Bytes of an answer."""
    journal_answer_bytes: int = 256 * 1024 * 1024
    """Bytes of a whole journal, page after page."""
    event_bytes: int = 4 * 1024 * 1024
    """Bytes of an entry, when the journal is followed."""
    state_answer_bytes: int = 2 * 1024 * 1024 * 1024
    """Bytes of a whole state."""

    # What `mock-server pull` takes of a service

    pull_items: int = 1_000_000
    """Collections, chats and data rows that one pull takes."""
    pull_tries: int = 3
    """Tries of one page in a row."""
    pull_rounds: int = 4
    """How often the pages that failed are tried again at the end."""
    pull_passes: int = 10
    """How often a pull begins, if lists change while they are read."""
    pull_seconds: float = 30.0
    """Seconds that one page takes."""
    pull_backoff_seconds: float = 0.25
    """Seconds before the second try of a page, roughly; each further pause doubles."""
    pull_pause_seconds: float = 300.0
    """Seconds that a service may ask to be left alone (Retry-After)."""

    # What `verify` asks of a server

    verify_collections: int = 600
    """Collections of a dataset that are looked at, page after page."""
    verify_folders: int = 10
    """Folders that are looked into."""
    verify_chats: int = 1_000
    """Chats among which the one is looked for that is pinned."""
    verify_tries: int = 3
    """How often a request is sent to a server that says it is busy."""
    verify_pause_seconds: float = 10.0
    """How long is waited before it is sent again."""
    verify_call_seconds: float = 10.0
    """How long one answer takes."""


DEFAULT_LIMITS: Final = Limits()
DEFAULT_CLIENT_LIMITS: Final = ClientLimits()
