"""What an experiment gives back: tables of the paper's figures beside ours, pictures, and an account of the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from setwise.io.atomic import write_whole
from setwise.reports import summary

FORMAT, VERSION = "setwise.paper", 1


@dataclass(frozen=True)
class Figure:
    """One quantity: our value in every run, and the paper's, as it prints it."""

    values: tuple[float, ...]
    paper: str = ""
    digits: int = 1

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def spread(self) -> float:
        """The standard deviation over runs; nan of a single run."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else float("nan")

    def __str__(self) -> str:
        if not self.values:
            return "-"
        text = f"{self.mean:.{self.digits}f}"
        return text if np.isnan(self.spread) else f"{text} ± {self.spread:.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """A row a method, and for each column its figure; what a row has no figure for stays empty."""

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Figure]]
    note: str = ""

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """As text: the header, and the rows; the paper's figure stands before ours wherever there is one."""
        header, kept = [""], []
        for column in self.columns:
            figures = [row[column] for row in self.rows.values() if column in row]
            with_paper = any(figure.paper for figure in figures)
            kept.append((column, with_paper))
            header += [f"{column}, paper", f"{column}, ours"] if with_paper else [column]
        body = []
        for name, row in self.rows.items():
            line = [name]
            for column, with_paper in kept:
                figure = row.get(column)
                line += ([figure.paper if figure else ""] if with_paper else []) + [str(figure) if figure else ""]
            body.append(line)
        return header, body

    def markdown(self) -> str:
        header, body = self.cells()
        rule = ["---", *["---:"] * (len(header) - 1)]
        lines = [f"**{self.title}**", ""] + ["| " + " | ".join(line) + " |" for line in (header, rule, *body)]
        return "\n".join(lines + (["", self.note] if self.note else []))


@dataclass(frozen=True)
class Picture:
    """A picture's file, beside the result's own, and what it shows."""

    file: str
    caption: str


@dataclass(frozen=True)
class Result:
    """An experiment that has run.

    Attributes
    ----------
    protocol : what was done, in the words and numbers that the report shows: runs, seeds, sizes, grids
    data : where the data came from, with a digest
    command : what runs it again
    """

    name: str
    title: str
    protocol: Mapping[str, Any]
    data: str
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=summary.versions)

    def markdown(self) -> str:
        """A section of `docs/paper.md`."""
        protocol = "; ".join(f"{name}: {value}" for name, value in self.protocol.items())
        parts = [f"## {self.title}", f"`{self.command}`, {self.seconds:.0f} s. {protocol}. Data: {self.data}."]
        parts += [table.markdown() for table in self.tables]
        parts += [f"![{picture.caption}]({picture.file})\n\n{picture.caption}" for picture in self.pictures]
        return "\n\n".join([*parts, *(f"- {note}" for note in self.notes)])

    def summary(self, folder: Path) -> summary.Summary:
        """The report, with the pictures that stand in the folder."""
        tables = [summary.Table(table.title, *table.cells(), [table.note] * bool(table.note)) for table in self.tables]
        pictures = [summary.Picture(folder / picture.file, picture.caption) for picture in self.pictures]
        return summary.Summary(
            title=self.title,
            sections=[summary.Section(content=[*tables, *pictures])],
            command=self.command,
            data={"data": self.data},
            settings={name: str(value) for name, value in self.protocol.items()} | {"seconds": f"{self.seconds:.0f}"},
            notices=self.notes,
            versions=self.versions,
        )

    def save(self, folder: Path) -> Path:
        """Write NAME.json into the folder."""
        path = folder / f"{self.name}.json"
        with write_whole(path) as temporary:
            temporary.write_text(json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=1))
        return path

    @classmethod
    def load(cls, path: Path) -> Result:
        """Read what `save` wrote."""
        stored = json.loads(path.read_text())
        del stored["format"], stored["version"]
        tables = tuple(
            Table(
                table["title"],
                tuple(table["columns"]),
                {
                    name: {column: Figure(tuple(f["values"]), f["paper"], f["digits"]) for column, f in row.items()}
                    for name, row in table["rows"].items()
                },
                table["note"],
            )
            for table in stored.pop("tables")
        )
        pictures = tuple(Picture(**picture) for picture in stored.pop("pictures"))
        return cls(tables=tables, pictures=pictures, notes=tuple(stored.pop("notes")), **stored)
