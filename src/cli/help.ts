import {
  type Argument,
  type Command,
  type Examples,
  type Group,
  type Option,
  optionName,
} from "./arguments/command.ts";
import { isSharedOption } from "./connection/remote.ts";
import { findCommand } from "./find-command.ts";
import type { Style } from "./terminal/terminal.ts";
import { load, sections } from "./tree.ts";

/** The format of help texts: markup of words and line width. */
interface HelpFormat {
  style(style: Style, text: string): string;
  width: number;
}

const everywhere: [string, string][] = [
  ["-h, --help", "Explain the command, with examples"],
  ["--no-color", "No colours; NO_COLOR in the environment does the same"],
  ["TOLLGATE_URL", "The server to call, instead of the profile's"],
  ["TOLLGATE_TOKEN", "The token for TOLLGATE_URL"],
  ["Exit codes", "0 success, 1 failed, 2 usage, 3 no connection"],
];

export async function helpFor(words: string[], look: HelpFormat): Promise<string> {
  const found = await findCommand(words);
  if (found.kind === "command") return helpForCommand(found.name, found.command, look);
  return found.kind === "group" ? helpForGroup(found.name, found.group, look) : helpForAll(look);
}

async function helpForAll(look: HelpFormat): Promise<string> {
  const parts = Object.entries(sections).map(async ([title, commands]) => {
    const lines = Object.keys(commands).map(async (name): Promise<Line> => [name, (await load(name))!.summary]);
    return section(title, await Promise.all(lines), look);
  });
  return [
    "Tollgate: API keys, metering, plans and gateways.",
    `${look.style("bold", "Usage:")} tollgate <command> [options]`,
    ...(await Promise.all(parts)),
    section("Everywhere", everywhere, look),
    "`tollgate <command> --help` has details and examples.",
  ].join("\n\n");
}

function helpForGroup(name: string, { summary, commands }: Group, look: HelpFormat): string {
  const lines = Object.entries(commands).map(([verb, command]): Line => [verb, command.summary]);
  const examples = Object.values(commands).flatMap(({ examples }) => Object.entries(examples).slice(0, 1));
  return [
    summary,
    `${look.style("bold", "Usage:")} tollgate ${name} <command> [options]`,
    section("Commands", lines, look),
    exampleSection(Object.fromEntries(examples), look),
    `\`tollgate ${name} <command> --help\` has details.`,
  ].join("\n\n");
}

function helpForCommand(name: string, command: Command, look: HelpFormat): string {
  const { summary, details, examples } = command;
  const given = Object.entries(command.arguments).map(([argument, { help }]): Line => [optionName(argument), help]);
  const lines = (options: [string, Option][]) => options.map(([option, described]) => optionLine(option, described));
  const own = lines(Object.entries(command.options).filter(([option]) => !isSharedOption(option, command)));
  const shared = lines(Object.entries(command.options).filter(([option]) => isSharedOption(option, command)));
  const left = Math.max(...[...given, ...own, ...shared].map(([word]) => word.length));
  return [
    summary,
    ...(details ? [wrap(details, look.width)] : []),
    `${look.style("bold", "Usage:")} ${usage(name, command)}`,
    ...(given.length > 0 ? [section("Arguments", given, look, left)] : []),
    ...(own.length > 0 ? [section("Options", own, look, left)] : []),
    ...(shared.length > 0 ? [section("Options of every command that calls a server", shared, look, left)] : []),
    exampleSection(examples, look),
  ].join("\n\n");
}

export function usage(name: string, command: Command): string {
  const words = Object.entries(command.arguments).map(([argument, described]) => placeholder(argument, described));
  const options = Object.keys(command.options).length > 0 ? ["[options]"] : [];
  return ["tollgate", name, ...words, ...options].join(" ");
}

/** `-y, --yes` or `--bucket NAME` */
export function optionText(name: string, { short, placeholder: value }: Option): string {
  return `${short ? `-${short}, ` : ""}--${optionName(name)}${value ? ` ${value}` : ""}`;
}

/** Choices that would make the left column too wide are part of the text. */
function optionLine(name: string, option: Option): Line {
  const text = optionText(name, option);
  if (text.length <= maxLeft || !option.placeholder?.includes("|")) return [text, option.help];
  const choices = option.placeholder.replaceAll("|", ", ");
  return [optionText(name, { ...option, placeholder: "VALUE" }), `${option.help}: ${choices}`];
}

function placeholder(name: string, { isOptional }: Argument): string {
  return isOptional ? `[${optionName(name)}]` : `<${optionName(name)}>`;
}

type Line = readonly [word: string, text: string];

const maxLeft = 40;

function section(title: string, lines: Line[], { style, width }: HelpFormat, left = 14): string {
  const indent = left + 4;
  const written = lines.map(([word, text]) => `  ${word.padEnd(left)}  ${wrap(text, width, indent)}`);
  return [style("bold", title), ...written].join("\n");
}

function exampleSection(examples: Examples, { style, width }: HelpFormat): string {
  const written = Object.entries(examples).map(
    ([command, text]) => `  ${command}\n      ${style("dim", wrap(text, width, 6))}`,
  );
  return [style("bold", "Examples"), ...written].join("\n");
}

/** Breaks a text between words so that no line is longer than `width`; lines after the first begin with `indent` spaces. */
function wrap(text: string, width: number, indent = 0): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}
