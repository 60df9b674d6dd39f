# ruff: noqa: RUF001
"""The console's texts: the templates have them in English, this table has them in Chinese."""

from collections.abc import Callable
from typing import Literal

Language = Literal["en", "zh"]


def translator(language: Language) -> Callable[..., str]:
    """The function that gives an English text in a language, with its fields filled.

    Of a text in two forms, `{n} chat|{n} chats`, the first is for one.
    """

    def translate(text: str, **fields: object) -> str:
        one, _, several = text.partition("|")
        chosen = one if fields.get("n") == 1 else several or one
        return (CHINESE[text] if language == "zh" else chosen).format(**fields)

    return translate


CHINESE = {
    # The page
    "Console · FastGPT mock server": "控制台 · FastGPT 模拟服务器",
    "FastGPT mock server": "FastGPT 模拟服务器",
    "console": "控制台",
    "Connecting": "正在连接",
    "Live": "实时",
    "Reconnecting": "正在重连",
    "Demo": "演示",
    "Reset": "重置",
    "Parts of the console": "控制台的各部分",
    "Data": "数据",
    "Requests": "请求",
    "Control": "控制",
    "The console needs JavaScript.": "控制台需要 JavaScript。",
    "Copied.": "已复制。",
    "Done.": "完成。",
    "Selected: press Ctrl+C to copy.": "已选中，请按 Ctrl+C 复制。",
    "The token is wrong.": "令牌不对。",
    "Expected JSON": "应为 JSON",
    "Admin token": "管理令牌",
    "The server was started with --admin-token. This tab alone keeps the token.": (
        "服务器启动时用了 --admin-token。令牌只留在本标签页。"
    ),
    "Open": "打开",
    "Cancel": "取消",
    "Snapshots and sandboxes stay.": "快照和沙箱会保留。",
    # The status
    "{n} fault or answer in force|{n} faults and answers in force": "{n} 个故障或应答生效中",
    "Nothing is set to fail": "没有设置任何故障",
    "{n} request, {m} with problems|{n} requests, {m} with problems": "{n} 个请求，{m} 个有问题",
    "Data: changed": "数据：已改动",
    "Data: as at the start": "数据：初始状态",
    "Profile: {name}": "配置：{name}",
    "Clock: frozen": "时钟：已冻结",
    "Clock: runs": "时钟：运行中",
    "Sandbox: {name}": "沙箱：{name}",
    "Leave": "离开",
    "All data goes back to the start. Faults and answers that were added ({n}), requests in the "
    "journal ({m}), and the settings of clock and choices are lost.": (
        "所有数据回到初始状态。已添加的故障和应答（{n}）、日志中的请求（{m}）以及"
        "时钟和选项的设置都会丢失。"
    ),
    # The data
    "Apps and their chats": "应用及其会话",
    "Datasets and their collections": "知识库及其集合",
    "There is no data yet. Add an app or a dataset below, or start the server with a fixture: "
    "mock-server demo": (
        "还没有数据。请在下面新建应用或知识库，或用测试数据启动服务器：mock-server demo"
    ),
    "{n} chat|{n} chats": "{n} 个会话",
    "{n} collection|{n} collections": "{n} 个集合",
    "{from} to {to} of {n}": "第 {from} 至 {to} 项，共 {n} 项",
    "Previous page": "上一页",
    "Next page": "下一页",
    "Top level": "顶层",
    "Nothing in here yet.": "这里还没有内容。",
    "More for {title}": "{title} 的更多操作",
    "Pin": "置顶",
    "Pinned": "已置顶",
    "Pin {title}": "置顶 {title}",
    "Rename": "重命名",
    "New name": "新名称",
    "Delete": "删除",
    "Disable": "停用",
    "Enable": "启用",
    "disabled": "已停用",
    "New app": "新建应用",
    "New chat": "新建会话",
    "New dataset": "新建知识库",
    "New collection": "新建集合",
    "Name": "名称",
    "Title": "标题",
    "Type": "类型",
    "Add": "添加",
    "made from the title": "由标题生成",
    # The requests
    "Requests of clients": "客户端的请求",
    "Operation": "操作",
    "all": "全部",
    "only with problems": "仅有问题的",
    "Clear": "清空",
    "No client has sent a request yet. Point yours to this address, or try:": (
        "还没有客户端发来请求。请让客户端连接此地址，或试试："
    ),
    "DATASET": "知识库的 ID",
    "No request is like that.": "没有这样的请求。",
    "no response": "无应答",
    "{n} violation|{n} violations": "{n} 处违规",
    "Copy as curl": "复制为 curl",
    "{kind} {id} made this response.": "此应答由 {kind} {id} 产生。",
    "spec {section}": "文档第 {section} 节",
    "Time": "时间",
    "Duration": "耗时",
    "API key": "API 密钥",
    "Request": "请求",
    "Response {status}": "应答 {status}",
    "{n} header|{n} headers": "{n} 个标头",
    "No body.": "没有正文。",
    "The body was longer: the journal keeps 8 KiB.": "正文更长，日志只保留 8 KiB。",
    # The control
    "Fail the next call": "让下一次调用失败",
    "What happens": "发生什么",
    "Times": "次数",
    "any": "任意",
    "Fail it": "让它失败",
    "Error 503": "错误 503",
    "Error 500": "错误 500",
    "Error 401": "错误 401",
    "Error 429, retry after 5 s": "错误 429，5 秒后重试",
    "At most 5 requests in 10 s": "10 秒内最多 5 个请求",
    "Response after 3 s": "3 秒后才应答",
    "No response": "没有应答",
    "Connection reset": "连接被重置",
    "Connection reset after the work is done": "操作已完成，但连接被重置",
    "Connection closed": "连接被关闭",
    "Bytes that are not HTTP": "不是 HTTP 的字节",
    "Half of the body": "只有一半正文",
    "Broken JSON": "错误的 JSON",
    "Response in slow pieces": "应答缓慢地分段到达",
    "Change is not saved": "改动未保存",
    "Item twice in a list": "列表中有重复项",
    "Item between two pages": "翻页时多出一项",
    "Wrong total of a list": "列表的总数不对",
    "Presets": "预设",
    "For ten minutes:": "持续十分钟：",
    "flaky": "不稳定",
    "slow": "缓慢",
    "rate-limited": "限流",
    "offline": "离线",
    "eventually-consistent": "最终一致",
    "Answer the next call": "指定下一次应答",
    "The next completion says": "下一次对话的回答",
    "Say it": "就这样说",
    "Another call": "其他调用",
    "Status": "状态",
    "The field data, as JSON": "data 字段（JSON）",
    "Answer so": "就这样应答",
    "Any fault or answer, as JSON": "任意故障或应答（JSON）",
    "The fields, as in the documentation": "各字段，见文档",
    "In force": "生效中",
    "Nothing was added: the server works as it should.": "没有添加任何规则：服务器正常工作。",
    "{n} left": "还剩 {n} 次",
    "fired {n}": "已触发 {n} 次",
    "ends in {n} s": "{n} 秒后结束",
    "Remove": "移除",
    "Remove {what}": "移除 {what}",
    "Remove all": "全部移除",
    "{n} of the fixture, always in force": "测试数据中的 {n} 个，始终生效",
    "Clock": "时钟",
    "frozen": "已冻结",
    "runs": "运行中",
    "+1 min": "+1 分钟",
    "+1 h": "+1 小时",
    "+1 day": "+1 天",
    "Run": "继续",
    "Freeze": "冻结",
    "Time to set, in UTC": "要设置的时间（UTC）",
    "Set": "设置",
    "Choices": "选项",
    "Profile": "配置",
    "{n} choices, {m} differ from the profile": "{n} 个选项，{m} 个与配置不同",
    "Apply": "应用",
    "Snapshots": "快照",
    "A snapshot keeps data, clock and choices.": "快照保存数据、时钟和选项。",
    "Take": "保存",
    "Restore": "恢复",
    "Sandboxes": "沙箱",
    "Copy key": "复制密钥",
    "Name of a new sandbox": "新沙箱的名称",
    "Create": "创建",
}
