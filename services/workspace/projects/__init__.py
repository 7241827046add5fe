"""Evaluating .NET projects without MSBuild, from their files alone: nothing is ever executed."""

from services.workspace.projects.evaluation import evaluate
from services.workspace.projects.info import Evaluation, Files, ProjectInfo, Using

__all__ = ["Evaluation", "Files", "ProjectInfo", "Using", "evaluate"]
