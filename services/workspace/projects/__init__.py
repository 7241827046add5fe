"""Evaluating .NET projects without MSBuild, from their files alone: nothing is ever executed."""

from services.workspace.projects.evaluation import RULES, evaluate
from services.workspace.projects.info import Evaluation, Files, Package, ProjectInfo, Using

__all__ = ["RULES", "Evaluation", "Files", "Package", "ProjectInfo", "Using", "evaluate"]
