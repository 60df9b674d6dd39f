"""The forms of names in each language: what people call files, folders and chats.

In a form, `{}` stands for a name of the kind that it is listed under, `{year}` for the
year of the last update.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

Kind = Literal["company", "person", "city", "job"]
Forms = Sequence[tuple[str, Kind]]


class Words(Struct, frozen=True):
    """The forms of a language; `faker` is what Faker calls it.

    `notes` are collections of manual entries, `questions` are asked in chats and data
    rows. `space` stands between sentences.
    """

    faker: str
    full_stop: str
    space: str
    app: str
    dataset: str
    folders: Forms
    files: Forms
    links: Forms
    notes: Forms
    questions: Forms
    custom_titles: Forms
    tags: Sequence[str]


_ENGLISH = Words(
    faker="en_US",
    full_stop=".",
    space=" ",
    app="Support of {}",
    dataset="Handbook of {}",
    folders=(
        ("{}", "company"),
        ("{} office", "city"),
        ("Project {} {year}", "city"),
        ("Contracts of {}", "company"),
        ("Desk of {}", "person"),
    ),
    files=(
        ("Contract with {} {year}.pdf", "company"),
        ("Offer to {}.docx", "company"),
        ("Prices of {} {year}.xlsx", "company"),
        ("Interview with {}.docx", "person"),
        ("Expenses of {} {year}.csv", "person"),
        ("Visit to {}.md", "city"),
        ("Floor plan of {}.pdf", "city"),
        ("Duties - {}.txt", "job"),
    ),
    links=(
        ("About {}", "company"),
        ("How to find us in {}", "city"),
        ("Careers - {}", "job"),
        ("Blog of {}", "person"),
    ),
    notes=(
        ("Questions about {}", "company"),
        ("Notes of {}", "person"),
        ("Glossary - {}", "job"),
    ),
    questions=(
        ("Where is my order from {}?", "company"),
        ("Can {} call me back?", "person"),
        ("Do you deliver to {}?", "city"),
        ("What does the job require - {}?", "job"),
        ("Who is in charge of {}?", "company"),
    ),
    custom_titles=(("Call from {}", "person"), ("Complaint, {}", "city")),
    tags=(
        *("archive", "draft", "faq", "finance", "hr", "internal"),
        *("legal", "manual", "public", "sales", "setup", "urgent"),
    ),
)
_CHINESE = Words(
    faker="zh_CN",
    full_stop="。",
    space="",
    app="{}客服",
    dataset="{}手册",
    folders=(
        ("{}", "company"),
        ("{}分公司", "city"),
        ("{}项目{year}年", "city"),
        ("{}合同", "company"),
        ("{}的文件夹", "person"),
    ),
    files=(
        ("与{}的合同{year}年.pdf", "company"),
        ("给{}的报价.docx", "company"),
        ("{}价目表{year}年.xlsx", "company"),
        ("{}面试记录.docx", "person"),
        ("{}报销单{year}年.csv", "person"),
        ("{}出差报告.md", "city"),
        ("{}平面图.pdf", "city"),
        ("{}岗位职责.txt", "job"),
    ),
    links=(
        ("关于{}", "company"),
        ("{}办事处地址", "city"),
        ("招聘：{}", "job"),
        ("{}的博客", "person"),
    ),
    notes=(
        ("{}常见问题", "company"),
        ("{}的笔记", "person"),
        ("{}术语表", "job"),
    ),
    questions=(
        ("我在{}的订单到哪里了？", "company"),
        ("能请{}给我回电话吗？", "person"),
        ("可以送货到{}吗？", "city"),
        ("{}有什么要求？", "job"),
        ("{}由谁负责？", "company"),
    ),
    custom_titles=(("{}来电", "person"), ("{}投诉", "city")),
    tags=(
        *("归档", "草稿", "常见问题", "财务", "人事", "内部"),
        *("法务", "手册", "公开", "销售", "安装", "紧急"),
    ),
)
WORDS: Mapping[str, Words] = {"en": _ENGLISH, "zh": _CHINESE}
