"""What is there for those who have logged in."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from tests.model.base import Base
from tests.model.records import OWNER, TEAM, TMB, WRITE, Fields, roles


class Accounts(Base):
    """What has to do with users."""

    def token_login(self, _: Fields) -> Any:
        name, allowed = self.caller["username"], roles(self.key_level())
        allowed |= {
            f"has{what}Create{kind}": self.key_level() >= WRITE
            for what in ("App", "Dataset", "Apikey", "Skill")
            for kind in ("Role", "Per")
        }
        return {
            "_id": _user_id(name),
            "username": name,
            "avatar": "",
            "timezone": "UTC",
            "language": "zh-CN",
            "promotionRate": 0.0,
            "tags": [],
            "permission": allowed,
            "team": {
                "tmbId": self.caller.get("member") or TMB,
                "memberName": name,
                "role": "owner" if self.key_level() == OWNER else "member",
                "permission": allowed,
                "userId": _user_id(name),
                "teamId": TEAM,
                "teamName": "Team",
                "teamAvatar": "",
                "status": "active",
                "avatar": "",
                "isWecomTeam": False,
            },
        }

    def init_data(self, _: Fields) -> Any:
        shown: Fields = {
            "bufferId": "mock",
            "feConfigs": {"systemTitle": "FastGPT", "isPlus": False},
            "modelProviders": [],
        }
        if self.is_login:
            shown |= {"systemVersion": "4.16.0", "activeModelList": []}
            shown |= {"defaultModels": {}}
        return shown

    def plan_status(self, _: Fields) -> Any:
        if not self.is_login:
            return None
        nothing = ["usedDatasetIndexSize", "totalPoints", "usedPoints"]
        nothing += ["datasetMaxSize", "usedRegistrationCount"]
        return dict.fromkeys(nothing, 0) | {
            "usedMember": len(self.document.get("users", [])),
            "usedAppAmount": len(self.state["apps"]),
            "usedDatasetSize": len(self.state["datasets"]),
        }


def _user_id(name: str) -> str:
    return sha256(f"user {name}".encode()).hexdigest()[:24]
