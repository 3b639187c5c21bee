/**
 * `npm run generate`: writes the table by which the console shows a request as a command. Each command of the CLI that
 * sends one is run with a different value in each argument and option against a server that only records; where the
 * values arrive in the request is what the table says.
 */
import { join } from "node:path";
import { type Command, optionName } from "../src/cli/arguments/command.ts";
import { parseCommandLine } from "../src/cli/arguments/parse.ts";
import { isSharedOption } from "../src/cli/connection/remote.ts";
import { UsageError } from "../src/cli/process/usage-error.ts";
import { Terminal } from "../src/cli/terminal/terminal.ts";
import { allCommands } from "../src/cli/tree.ts";
import { routes } from "../src/client/transport/schema.gen.ts";
import type { Taken } from "../src/web/console/shell/commands.gen.ts";

export const tableFile = join(import.meta.dir, "../src/web/console/shell/commands.gen.ts");

/** These have effects on this machine, or send more than one request on purpose. */
const excluded =
  /^(deploy|deployments source|promote|dev|import|apply|diff|dump|demo|audit export|portal set|traffic split)$/;
const shared = ["profile", "account", "json", "yes", "limit", "offset", "all", "csv", "follow", "dryRun", "wait"];

type Leaves = Map<string, unknown>;

interface Sent {
  operation: string;
  leaves: Leaves;
}

/** The last change that is sent, or else the last request; undefined if there is none. */
async function sentBy(command: Command, words: string[]): Promise<Sent | undefined> {
  const sent: Sent[] = [];
  const first = words.find((word) => !word.startsWith("-")) ?? "zzid";
  const itemOf = (id: string) => ({
    ...{ id, name: id, host: id, label: id, planExternalId: id, packExternalId: id, metadata: {} },
    ...{ status: "succeeded", attempts: 99, matched: 1, keys: 1, version: 1 },
  });
  // Some commands take the newest item of a list, some the first one.
  const data = [first, ...words, first].map(itemOf);
  const record = async (address: string, init: RequestInit = {}) => {
    const url = new URL(address);
    const found = matched(init.method ?? "GET", url.pathname);
    url.searchParams.delete("accountName");
    const leaves: Leaves = new Map(Object.entries(found.parameters).map(([name, value]) => [`{${name}}`, value]));
    for (const [name, value] of url.searchParams) if (name !== "limit") leaves.set(`?${name}`, value);
    if (init.body) flatten(JSON.parse(String(init.body)), "", leaves);
    sent.push({ operation: found.operation, leaves });
    return Response.json({ ...data[0], data, results: [], total: 1, limit: data.length, offset: 0 });
  };
  const streams = {
    stdin: { isTTY: false, text: async () => "…" },
    stdout: { isTTY: false, write: () => true },
    stderr: { isTTY: false, write: () => true },
  };
  const environment = { TOLLGATE_URL: "http://127.0.0.1:1", TOLLGATE_TOKEN: "t", HOME: "/nonexistent" };
  const context = { terminal: new Terminal({}, false, streams), environment };
  const fetch = globalThis.fetch;
  globalThis.fetch = record as typeof globalThis.fetch;
  try {
    const yes = "yes" in command.options ? ["--yes"] : [];
    const values = parseCommandLine(command, [...words, ...yes, "--account", "zzaccount"]);
    const run = command.run(values, { ...context, help: async () => "", commandsFor: async () => [] });
    await Promise.race([run, new Promise((done) => setTimeout(done, 1_000))]);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    // The response is not one that the command can show.
  } finally {
    globalThis.fetch = fetch;
  }
  return sent.findLast(({ operation }) => !operation.startsWith("GET ")) ?? sent.at(-1);
}

const patterns = Object.values(routes).map((route) => {
  const [method, path] = route.split(" ") as [string, string];
  return {
    route,
    method,
    pattern: new RegExp(`^${path.replaceAll("$", "\\$").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
  };
});

function matched(method: string, path: string): { operation: string; parameters: Record<string, string> } {
  const found = patterns
    .filter((each) => each.method === method && each.pattern.test(path))
    .sort((one, other) => (one.route.match(/\{/g) ?? []).length - (other.route.match(/\{/g) ?? []).length)[0];
  const parameters = found?.pattern.exec(path)?.groups ?? {};
  const { accountName: _, ...rest } = parameters;
  return {
    operation: found?.route ?? `${method} ${path}`,
    parameters: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, decodeURIComponent(value)])),
  };
}

function flatten(value: unknown, at: string, leaves: Leaves): void {
  const isLeaf = Array.isArray(value) && !value.some((each) => typeof each === "object");
  if (typeof value !== "object" || value === null || isLeaf) leaves.set(at, value);
  else if (Object.keys(value).length === 0) {
    if (at !== "") leaves.set(at, {});
  } else for (const [name, member] of Object.entries(value)) flatten(member, `${at}/${name}`, leaves);
}

interface Probe {
  word: string;
  text: string;
}

/** Texts of which one is probably accepted by an option, the most telling ones first. */
function textsFor(index: number, placeholder: string, choices: readonly string[] | undefined): string[] {
  const number = String(7_000 + index);
  return [
    ...(choices ?? []),
    ...(placeholder.includes("/") ? [`70${index + 10}/9${index + 10}`] : []),
    number,
    `zzw${index}`,
    `{"zzj${index}":1}`,
    `zzn=${number}`,
    `tag.zzn=${number}`,
    String(index + 1),
    `20${30 + (index % 60)}-02-03T04:05:06Z`,
    `GET:/zz${index}`,
  ];
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A command line that is sent, and the request. */
interface Base {
  positionals: string[];
  given: Probe[];
  sent: Sent;
}

/** Names that the first argument of some commands must have. */
const firstArguments = ["zzarg0", "domn_zzarg0", "zzarg0.example", "zzarg0-main-3f9c2a1"];

async function entriesOf(command: Command): Promise<{ operation: string; takes: Taken[] }[]> {
  const described = Object.entries(command.arguments);
  const required = described.filter(([, { isOptional }]) => !isOptional).length;
  const options = Object.entries(command.options).filter(([option]) => !shared.includes(option));
  const probes = options.map(([option, { placeholder, completion }], index): Probe[] => {
    const word = `--${optionName(option)}`;
    if (placeholder === undefined) return [{ word, text: "" }];
    return textsFor(index, placeholder, Array.isArray(completion) ? completion : undefined)
      .filter((text) => accepts(options[index]![1], text))
      .map((text) => ({ word, text }));
  });
  const single = probes.flatMap(([first]) => (first ? [first] : []));
  // A bucket that is not given would be looked up.
  const alwaysWith = (text: number) =>
    options.flatMap(([option, { help }], index) => {
      if (option !== "bucket" && !/ \(needed\)$/.test(help)) return [];
      return option === "bucket"
        ? [{ word: "--bucket", text: "zzbucket" }]
        : [probes[index]!.at(text) ?? probes[index]![0]!];
    });
  let always = alwaysWith(0);
  let positionals: string[] = [];
  const send = (given: Probe[]) =>
    sentBy(command, [...positionals, ...given.flatMap(({ word, text }) => (text === "" ? [word] : [word, text]))]);

  /** With the fewest options, for each operation that the number of arguments selects. */
  async function bases(): Promise<Base[]> {
    const found: Base[] = [];
    for (let count = described.length; count >= required; count--) {
      const base = await baseOf(count);
      if (base && !found.some(({ sent }) => sent.operation === base.sent.operation)) found.push(base);
    }
    return found;
  }

  async function baseOf(count: number): Promise<Base | undefined> {
    for (const text of [0, -1, 1, 2])
      for (const further of furtherOf(single))
        for (const first of count > 0 ? firstArguments : [""]) {
          positionals = described.slice(0, count).map((_, index) => (index === 0 ? first : `zzarg${index}`));
          always = alwaysWith(text);
          const given = [...always, ...further];
          const sent = await send(given);
          if (sent && positionals.every((argument) => claimOf("", argument, sent.leaves)))
            return { positionals, given, sent };
        }
    return undefined;
  }

  function entryFor({ given, sent: base }: Base) {
    const takes: Taken[] = [];
    const fixed: Leaves = new Map(base.leaves);
    const claim = (word: string, text: string, leaves: Leaves) => {
      const found = claimOf(word, text, leaves);
      if (!found) return false;
      if (!takes.some(([taken, at]) => taken === word && at === found.taken[1])) takes.push(found.taken);
      for (const at of found.leaves)
        if (fixed.delete(at) && found.taken[2] === "list" && at !== found.taken[1]) takes.push(["~", at]);
      for (const at of fixed.keys()) if (found.taken[1].startsWith(`${at}/`)) fixed.delete(at);
      return true;
    };
    const isComplete = positionals.every((text, index) => claim(index < required ? "" : "?", text, base.leaves));
    for (const { word, text } of given) if (text !== "") claim(word, text, base.leaves);
    const flag = given.find(({ text }) => text === "");
    if (flag) for (const [at, is] of fixed) takes.push([flag.word, at, { is }]);
    return { takes, fixed: flag ? new Map<string, unknown>() : fixed, claim, isComplete };
  }

  const queue = await bases();
  const entries: { operation: string; takes: Taken[] }[] = [];
  for (const each of queue) {
    const { operation } = each.sent;
    positionals = each.positionals;
    const { takes, fixed, claim, isComplete } = entryFor(each);
    if (!isComplete) continue;
    const working: Probe[] = [];
    for (const [index, candidates] of probes.entries()) {
      const word = candidates[0]?.word;
      if (word === undefined || each.given.some((probe) => probe.word === word && probe.text !== "")) continue;
      const isChoice = Array.isArray(options[index]![1].completion);
      const topic = word.split("-").slice(0, 4).join("-");
      const related = single.filter((other) => other.word !== word && other.word.startsWith(topic));
      const withOthers = [
        ...[[], each.given, [...each.given, ...working], [...each.given, ...related]],
        ...single.map((other) => [...each.given, other]),
        ...each.given.map((without) => each.given.filter((other) => other !== without)),
      ];
      for (const probe of candidates) {
        let isClaimed = false;
        for (const others of withOthers) {
          if (others.some((other) => other.word === word)) continue;
          const sent = await send([...always, ...others, probe].filter(isFirstOfItsWord));
          if (!sent) continue;
          if (sent.operation !== operation) {
            if (others.length === 0 && !queue.some((known) => known.sent.operation === sent.operation))
              queue.push({ positionals, given: [...always, probe], sent });
            continue;
          }
          const changed = new Map([...sent.leaves].filter(([at, value]) => !isEqual(each.sent.leaves.get(at), value)));
          isClaimed = probe.text !== "" && claim(word, probe.text, changed);
          if (isClaimed) break;
          if (others.length > each.given.length || (probe.text !== "" && !isChoice)) continue;
          for (const [at, is] of changed) {
            takes.push([probe.text === "" ? word : `${word} ${probe.text}`, at, { is }]);
            fixed.delete(at);
          }
          if (changed.size > 0) break;
        }
        if (!isClaimed) continue;
        working.push(probe);
        break;
      }
    }
    // An argument that is also the default of an option.
    for (const [at, is] of fixed) {
      const argument = takes.find(([word, place]) => /^\??$/.test(word) && each.sent.leaves.get(place) === is);
      if (!argument || !takes.some((taken) => taken !== argument && taken[1] === argument[1])) continue;
      argument[1] = at;
      fixed.delete(at);
    }
    fixed.delete("/dryRun");
    for (const [at, is] of fixed) takes.push(["-", at, { is }]);
    const order = ["", "?", ...options.map(([option]) => `--${optionName(option)}`)];
    const placeOf = ([word]: Taken) => (order.indexOf(word.split(" ")[0]!) + order.length + 1) % (order.length + 1);
    entries.push({ operation, takes: takes.sort((one, other) => placeOf(one) - placeOf(other)) });
  }
  return entries;
}

const isFirstOfItsWord = ({ word }: Probe, index: number, all: Probe[]) =>
  all.findIndex((other) => other.word === word) === index;

/** No option, each of them, and each two. */
function furtherOf(single: Probe[]): Probe[][] {
  const two = single.flatMap((one, index) => single.slice(index + 1).map((other) => [one, other]));
  return [[], ...single.map((one) => [one]), ...two];
}

function accepts({ read }: Command["options"][string], text: string): boolean {
  try {
    read([text]);
    return true;
  } catch {
    return false;
  }
}

/** Where the text of an argument or option arrived. */
function claimOf(word: string, text: string, leaves: Leaves): { taken: Taken; leaves: string[] } | undefined {
  const [pairName, pairValue] = text.split("=") as [string, string | undefined];
  const joined = text.split("/");
  const time = /^\d{4}-/.test(text) ? new Date(text).toISOString() : undefined;
  for (const [at, value] of leaves) {
    const found = (...taken: Taken) => ({ taken, leaves: [at] });
    if (typeof value !== "object" && (String(value) === text || value === time)) return found(word, at);
    if (isEqual(value, [text]) || isEqual(value, [Number(text)])) {
      // Plans are named by two members: the command finds one of them by the other.
      const same = [...leaves].filter(([, other]) => isEqual(other, value)).map(([place]) => place);
      return { taken: [word, same.find((place) => place.endsWith("ExternalIds")) ?? at, "list"], leaves: same };
    }
    if (isEqual(value, [text.toUpperCase()])) return found(word, at, "lowerCase");
    if (pairValue !== undefined && new RegExp(`[/.]${pairName}(/|$)`).test(at) && String(value) === pairValue)
      return found(word, at.replace(pairName, "*"), "pairs");
    if (text.startsWith("{") && at.endsWith(`/${Object.keys(JSON.parse(text))[0]}`))
      return found(word, at.slice(0, at.lastIndexOf("/")), "json");
    const second = joined.length === 2 && [...leaves].find(([, other]) => String(other) === joined[1])?.[0];
    if (second && String(value) === joined[0]) return { taken: [word, at, { joined: second }], leaves: [at, second] };
  }
  return undefined;
}

export async function commandTable(): Promise<Record<string, { words: string; takes: Taken[] }[]>> {
  const table: Record<string, { words: string; takes: Taken[] }[]> = {};
  for (const { name, command } of await allCommands()) {
    if (excluded.test(name) || !isSharedOption("account", command)) continue;
    for (const { operation, takes } of await entriesOf(command)) {
      table[operation] ??= [];
      table[operation].push({ words: name, takes });
    }
  }
  return Object.fromEntries(Object.entries(table).sort(([one], [other]) => (one < other ? -1 : 1)));
}

if (import.meta.main) {
  const text = `// Written by \`npm run generate\`: the commands of the CLI by the operation that they send. Do not edit.
/** What becomes of a value: a list is repeated, and a flag or a cleared field stands for one value. */
type How = "list" | "lowerCase" | "pairs" | "json" | { is: unknown } | { joined: string };

/**
 * The word before a value, and its place. Arguments have no word; "?" is for one that is optional. "-" is for what the command always sends, "~" for
 * what it finds by another value.
 */
export type Taken = [word: string, at: string, how?: How];

interface CommandEntry {
  words: string;
  takes: Taken[];
}

export const commands: Record<string, CommandEntry[]> = ${JSON.stringify(await commandTable())};
`;
  await Bun.write(tableFile, text);
  Bun.spawnSync([join(import.meta.dir, "../node_modules/.bin/biome"), "format", "--write", tableFile]);
  // A command may still wait for a server that does not respond.
  process.exit(0);
}
