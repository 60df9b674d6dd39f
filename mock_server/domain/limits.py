"""All limits of the server and of its clients, with their defaults."""

from dataclasses import dataclass
from typing import Final


class Published:
    """Fixed limits: they are part of published types and messages.

    In all classes here, each limit is a maximum unless the text below it says
    otherwise; its name or this text gives the unit.
    """

    # Fields

    page_size: Final = 30
    """Items of a page (spec 8)."""
    related_page_size: Final = 1_000
    """Items on a page of a related route."""
    page_bytes: Final = 8 * 1024 * 1024
    """Bytes of a page, unless one item takes more."""
    row_bytes: Final = 4 * 1024 * 1024
    """Bytes of the texts of a data row."""
    export_bytes: Final = 4 * 1024 * 1024
    """Bytes of an export, unless one row takes more."""
    id_chars: Final = 256
    """Characters of an id."""
    key_chars: Final = 1_024
    """Characters of an API key."""
    token_chars: Final = 4 * 1024
    """Characters of a token at the end of an address."""
    user_chars: Final = 256
    """Characters of a username or a password."""
    auth_chars: Final = 100
    """Characters of a login code, or of a password's digest, as in FastGPT."""
    search_chars: Final = 1_024
    """Characters of a searchText."""
    title_chars: Final = 1_024
    """Characters of a chat's title."""
    name_chars: Final = 1_024
    """Characters of the name of a dataset or a collection."""
    fixture_text_chars: Final = 8 * 1024
    """Characters of a short text in a fixture, such as a name or title."""
    intro_chars: Final = 16 * 1024
    """Characters of a dataset's introduction, or of its avatar's address."""
    ids: Final = 1_000
    """Ids in one request."""
    text_chars: Final = 1024 * 1024
    """Characters of a text of a data row, a chat record or a reply."""
    tags: Final = 100
    """Tags of a collection or filter."""
    indexes: Final = 100
    """Indexes of a data row."""
    integer: Final = 2**53 - 1
    """The largest integer that every JSON reader keeps exact (RFC 8259 6)."""

    api_key_name_chars: Final = 50
    """Characters of the name of an API key of a login."""
    member_api_keys: Final = 100
    """API keys of one member, as in FastGPT."""
    app_api_keys: Final = 10
    """API keys of one member for one app, up to 4.14."""

    # Messages and logs

    hinted_chars: Final = 256
    """Characters of a path that a message corrects; of a word, 64."""
    told_problems: Final = 8
    """Problems of a request in one message."""
    told_chars: Final = 2_048
    """Characters of a message with several problems; the first may be longer."""
    listed_names: Final = 10
    """Existing names in the message about an unknown one."""
    request_id_chars: Final = 128
    """Characters of an X-Request-Id."""
    waiting_lines: Final = 4_096
    """Lines that wait for a slow stdout or stderr."""

    # Requests

    free_body_bytes: Final = 64 * 1024
    """Bytes of a body that the memory budget does not count."""
    json_depth: Final = 64
    """Nested arrays and objects of a document."""
    json_containers: Final = 50_000
    """Arrays and objects of a request body."""
    json_values: Final = 50_000
    """Items and fields of a body besides the first of each array and object."""
    json_digits: Final = 256 * 1024
    """Digits of a request body in numbers of 32 digits or more."""
    json_exponents: Final = 1_000
    """Numbers with exponents of a request body."""
    json_escapes: Final = 4_000_000
    """Escapes of a request body."""
    refused_body_seconds: Final = 0.1
    """Time a refusal waits for a short body, to journal it."""
    discard_seconds: Final = 1.0
    """Time to read the rest of a body after an early response."""

    # Fixtures and states

    response_ms: Final = 60_000
    """Delay of a static response."""
    response_header_chars: Final = 4 * 1024
    """Characters of a static response's header."""
    path_chars: Final = 1_024
    """Characters of a static response's path."""
    stream_pieces: Final = 200
    """Events of a streamed reply's texts."""
    reply_parts: Final = 200
    """Parts of a reply or record."""
    reply_values: Final = 100_000
    """Items and fields of a reply."""
    slow_numbers: Final = 1_000
    """Numbers above 1e280 or below 1e-280."""
    chunk_separators: Final = 32
    """Separators of `chunkSplitter` that are used."""
    pushed_rows: Final = 200
    """Data rows in one push."""
    deleted_changes: Final = 10_000
    """Changed collections in folders deleted together."""
    deleted_from: Final = 100
    """Datasets of collections deleted together."""

    # Sandboxes

    sandbox_max_ttl: Final = 604_800.0
    """Longest `ttl` of a sandbox: a week."""

    # Journals

    journal_page: Final = 1_000
    """Entries or collections in one admin response."""
    violations: Final = 20
    """Violations of one entry."""
    verified_steps: Final = 100
    """Steps of one `inOrder`."""

    # Faults

    fault_times: Final = 10_000
    """Firings of one fault."""
    fault_ttl: Final = 600.0
    """Longest `ttl` of a fault."""
    fault_ms: Final = 60_000
    """Longest delay of one response by a fault."""
    fault_plan: Final = 1_000
    """Decisions in the plan of a fault."""
    new_seconds: Final = 0.05
    """Age of a connection that counts as made for its first request."""
    matched_bytes: Final = 4 * 1024
    """Bytes of JSON in each field of a fault's `match`."""
    answer_matched_bytes: Final = 1024
    """Bytes of JSON in each field of an answer's `match`."""
    answer_matched_values: Final = 64
    """Fields and items of an answer's `match`, also nested."""
    matched_tests: Final = 8
    """Texts that a fault's `match` searches, `question` included."""
    answer_tests: Final = 2
    """Texts that an answer's `match` searches, `question` included."""
    searched_chars: Final = 4 * 1024
    """Characters of a text, from its beginning, that `contains` searches."""
    placeholders: Final = 1_000
    """Placeholders of an answer, of at most 64 names each."""
    differing_bytes: Final = 16 * 1024
    """Bytes of an answer that is compared with its operation's own."""
    answered_segments: Final = 64
    """Segments of an answer's path."""
    altered_bytes: Final = 4 * 1024
    """Bytes of JSON that `alter` sets on each item."""

    # What `import har` reads

    har_bytes: Final = 100 * 1024 * 1024
    """Bytes of a HAR file."""
    told_requests: Final = 5
    """Requests in a message about what was left out."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Limits:
    """Limits that keep a server small and fast; `Environment.limits` may set others."""

    # Fields

    keys: int = 1_000
    """API keys of all fixtures."""
    keys_chars: int = 128 * 1024
    """Their characters together."""
    users: int = 1_000
    """Users of all fixtures."""
    api_keys: int = 1_000
    """API keys that logins create in one sandbox."""
    replies: int = 1_000
    """Replies of all fixtures."""
    shares: int = 1_000
    """Share links of all fixtures."""

    # Messages and logs

    hinted_collections: int = 1_000
    """Collections examined to explain an empty page."""
    logged_chars: int = 1_024
    """Characters of a path in a request line."""

    # Requests

    body_bytes: int = 1024 * 1024
    """Bytes of a request body."""
    text_body_bytes: int = 10 * 1024 * 1024
    """Bytes of a request body that adds texts or data rows."""
    upload_bytes: int = 16 * 1024 * 1024
    """Bytes of an uploaded file."""
    upload_text_bytes: int = 1024 * 1024
    """Bytes of an uploaded text that are kept."""
    uploads: int = 1_000
    """Uploaded files, and open tickets, of one sandbox."""
    form_parts: int = 100
    """Parts of a form."""
    form_field_bytes: int = 64 * 1024
    """Bytes of all parts of a form without its file."""
    body_pieces: int = 4_500
    """Chunks of a request body."""
    headers: int = 100
    """Header fields of a request."""
    header_bytes: int = 64 * 1024
    """Bytes of a request's head."""
    head_line_bytes: int = 16 * 1024 - 1
    """Bytes of a request line, a header field or a chunk's line."""
    received_bytes: int = 64 * 1024 * 1024
    """Bytes of incomplete requests of all connections."""
    receipt_seconds: float = 10.0
    """Time from the first to the last byte of a request."""
    unread_seconds: float = 30.0
    """Time that a client may leave its response unread."""

    # Caches

    cached_text_bytes: int = 1024 * 1024
    """Bytes of one cached JSON text."""
    cached_searches: int = 4
    """Search results that a folder or a dataset keeps."""
    cached_heads: int = 1_024
    """Parsed request heads that are kept."""
    cached_head_bytes: int = 2_048
    """Bytes of a request head that is kept."""

    # Fixtures and states

    fixture_bytes: int = 32 * 1024 * 1024
    """Bytes of a YAML fixture file, or of a new state."""
    json_file_bytes: int = 256 * 1024 * 1024
    """Bytes of a JSON fixture file."""
    fixture_holders: int = 3_000
    """Apps, or datasets with their folders, of all fixtures."""
    fixture_collections: int = 2_000_000
    """Collections of all fixture files, `repeat` expanded."""
    fixture_folders: int = 100_000
    """Collections with content, of all fixture files."""
    checked_repetitions: int = 10_000
    """Repetitions that are expanded despite mistakes."""
    fixture_rows: int = 2_000_000
    """Data rows of all fixture files, also in training."""
    fixture_records: int = 2_000_000
    """Chat records of all fixture files."""
    answers: int = 1_000
    """Answers of one sandbox, without those of its fixture."""
    responses: int = 1_000
    """Static responses of all fixtures."""
    response_bytes: int = 4 * 1024 * 1024
    """Bytes of the body of one static response."""
    responses_bytes: int = 16 * 1024 * 1024
    """Bytes of the bodies of all static responses."""
    response_headers: int = 50
    """Header fields of a static response."""
    folder_depth: int = 100
    """Folders above a collection or a dataset."""
    fixture_alias_nodes: int = 10_000
    """YAML nodes that aliases add to one file."""
    fixture_problems: int = 1_000
    """Problems in one report."""
    created_chats: int = 10_000
    """Chats that pins, completions and admin calls add to one sandbox."""
    chat_records: int = 10_000
    """Records of a chat that completions extend, or that share `dataId`s."""
    login_codes: int = 100
    """Users of one sandbox with a login code at the same time."""
    collection_rows: int = 100_000
    """Data rows of one collection."""
    waiting_rows: int = 16 * 1024
    """Data rows of one sandbox, or chunks of one text, that wait for training."""
    searched_chars: int = 512 * 1024
    """Characters that one searchTest compares; a row counts as 100 at least."""
    listed_search_chars: int = 4 * 1024 * 1024
    """Characters that the search of a list compares; an item counts as 40 at least."""
    created_collections: int = 10_000
    """Collections that operations and admin calls add to one dataset."""
    changed_collections: int = 10_000
    """Collections that change with their folder."""
    created_datasets: int = 1_000
    """Datasets that operations and admin calls add to one sandbox."""
    created_apps: int = 1_000
    """Apps that operations and admin calls add to one sandbox."""
    dataset_folder_depth: int = 4
    """Nested folders of datasets, as in FastGPT."""

    # Loading and sending over the admin API

    inline_load_bytes: int = 16 * 1024
    """Bytes of a document that loads inline, in the server's process."""
    inline_load_collections: int = 2_000
    """Collections and chats of a document that loads inline."""
    inline_load_size: int = 4 * 1024 * 1024
    """Bytes of memory of a document that loads inline."""
    load_seconds: float = 60.0
    """Time to load one document."""
    quiet_seconds: float = 0.1
    """Time that fixture files must stay unchanged before a reload."""
    settle_seconds: float = 10.0
    """Longest wait for unchanged fixture files."""
    loads: int = 2
    """Large documents that load at the same time."""
    sendings: int = 32
    """Large states that are sent at the same time."""

    # Sandboxes

    sandboxes: int = 1_000
    """Sandboxes besides the default one."""
    sandbox_ttl: float = 3_600.0
    """Time without use after which a sandbox expires, unless it has its own."""
    snapshots: int = 100
    """Snapshots of one sandbox."""

    # Journals

    journal_entries: int = 10_000
    """Entries of a journal."""
    journal_bytes: int = 32 * 1024 * 1024
    """Bytes of memory of a journal's entries."""
    journal_body_bytes: int = 8 * 1024
    """Bytes of a body in the journal."""
    journal_page_bytes: int = 4 * 1024 * 1024
    """Bytes of JSON after which a response lists no more."""
    journal_streams: int = 128
    """Clients that follow journals at the same time."""
    cached_events: int = 64
    """Entries that are kept as events for all followers."""
    stream_bytes: int = 256 * 1024
    """Bytes of the memory budget for one open stream."""

    # Faults

    faults: int = 100
    """Faults of a sandbox that can still fire; as many spent ones are kept."""
    resend_seconds: float = 1.0
    """Time in which a request counts as a browser's retry (field `connections`)."""
    resends: int = 100
    """Retries of one fault at the same time."""
    limited_keys: int = 10_000
    """Keys whose windows one rate limit keeps."""

    # Memory

    memory_bytes: int = 1024 * 1024 * 1024
    """Bytes of all data of a server, without `--memory`."""
    journals_bytes: int = 256 * 1024 * 1024
    """Bytes of all journals; a quarter of the budget if that is less."""
    caches_bytes: int = 128 * 1024 * 1024
    """Bytes of ready JSON; an eighth of the budget if that is less."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClientLimits:
    """Limits for the responses that commands and the control object read."""

    # Responses of a server

    answer_bytes: int = 64 * 1024 * 1024
    """Bytes of a response."""
    journal_answer_bytes: int = 256 * 1024 * 1024
    """Bytes of a whole journal, page after page."""
    event_bytes: int = 4 * 1024 * 1024
    """Bytes of an entry of a followed journal."""
    state_answer_bytes: int = 2 * 1024 * 1024 * 1024
    """Bytes of a whole state."""

    # `mock-server pull`

    pull_items: int = 1_000_000
    """Collections, chats and data rows of one pull."""
    pull_tries: int = 3
    """Tries of one page in a row."""
    pull_rounds: int = 4
    """Further rounds for the pages that failed."""
    pull_passes: int = 10
    """Starts of a pull whose lists change."""
    pull_seconds: float = 30.0
    """Time of one page."""
    pull_backoff_seconds: float = 0.25
    """Pause before the second try of a page; each further one doubles."""
    pull_pause_seconds: float = 300.0
    """Longest `Retry-After` of a service."""

    # `mock-server verify`

    verify_collections: int = 600
    """Collections of a dataset that are read."""
    verify_folders: int = 10
    """Folders that are read."""
    verify_chats: int = 1_000
    """Chats among which the pinned one is searched."""
    verify_tries: int = 3
    """Tries of a request to a busy server."""
    verify_pause_seconds: float = 10.0
    """Pause before a further try."""
    verify_call_seconds: float = 10.0
    """Time of one response."""


DEFAULT_LIMITS: Final = Limits()
DEFAULT_CLIENT_LIMITS: Final = ClientLimits()
