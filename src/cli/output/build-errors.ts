import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildError, BuildMessage } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { counted, printable } from "./show.ts";

const maxLineWidth = 160;
const maxShown = 50;

/** After a failed build the user needs to know that the running version is unchanged. */
export async function showBuildError(
  error: BuildError,
  folder: string | undefined,
  terminal: Terminal,
  { json = false }: { json?: boolean | undefined } = {},
): Promise<void> {
  const { statusId, step, message, errors } = error;
  if (json) terminal.printJson({ statusId, step, message, errors });
  await showBuildMessages(terminal, error.errors, folder, "red");
  const count = error.errors.length;
  const what = count === 0 ? error.message : `${counted(count, "error")}.`;
  terminal.note(`${terminal.noteStyle("red", "Not deployed:")} ${what} The live version is unchanged.`);
}

/** Each error with its source line and a caret under its column. */
export async function showBuildMessages(
  terminal: Terminal,
  messages: BuildMessage[],
  folder: string | undefined,
  style: "red" | "yellow",
): Promise<void> {
  for (const { file, line, column, message } of messages.slice(0, maxShown)) {
    // An error without a file is printed as a sentence.
    const place = file === "" || line === 0 ? file : `${file}:${line}:${column}`;
    const label = style === "yellow" ? "warning: " : "";
    const shown = terminal.noteStyle(style, `${label}${printable(message)}`);
    terminal.note(place === "" ? shown : `${terminal.noteStyle("bold", printable(place))} ${shown}`);
    // An error at line 1, column 1 concerns the whole file.
    const isPlace = line > 1 || column > 1;
    const source = folder === undefined || !isPlace ? undefined : await lineOf(join(folder, file), line);
    if (source !== undefined) terminal.note(excerpt(terminal, source, line, column, style));
  }
  if (messages.length > maxShown) terminal.note(`… and ${messages.length - maxShown} more`);
}

/** The file may have changed or come from elsewhere: then no line is shown. */
async function lineOf(path: string, line: number): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
}

/** Long lines, such as minified code, are truncated around the column. */
function excerpt(terminal: Terminal, source: string, line: number, column: number, style: "red" | "yellow"): string {
  const begin = Math.max(0, column - 1 - maxLineWidth / 2);
  const visible = printable(source.slice(begin, begin + maxLineWidth).replaceAll("\t", " "));
  const gutter = `  ${line} │ `;
  const indent = " ".repeat(Bun.stringWidth(visible.slice(0, Math.max(0, column - 1 - begin))));
  const margin = `${" ".repeat(gutter.length - 2)}│ `;
  return `${terminal.noteStyle("dim", gutter)}${visible}\n${terminal.noteStyle("dim", margin)}${indent}${terminal.noteStyle(style, "^")}`;
}
