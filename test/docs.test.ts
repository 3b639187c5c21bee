import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarks } from "../bench/benchmarks.ts";
import packageJson from "../package.json" with { type: "json" };
import { diagrams } from "../scripts/diagrams.ts";
import { withValues } from "../scripts/generate-settings.ts";
import { verificationCodes } from "../src/areas/api-keys/keys/schema.ts";
import { eventTypes, testType } from "../src/areas/operations/webhooks/event-types.ts";
import { slugOf } from "../src/builder/site/markdown.ts";
import { optionName } from "../src/cli/arguments/command.ts";
import { allCommands } from "../src/cli/tree.ts";
import { parseConfig } from "../src/config/config.ts";
import { catalogue } from "../src/core/problems/catalogue.ts";
import { sqlite } from "./support/engines.ts";
import { commandsIn, runPasted } from "./support/pasted-commands.ts";
import { adminToken } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";

/** Of all commands that call a server. */
const commonOptions = ["profile", "account", "json", "csv", "url", "token", "help"];

const root = join(import.meta.dir, "..");
const readDoc = (path: string) => readFileSync(join(root, path), "utf8");

describe("the tour", () => {
  let server: SpawnedServer;
  let folder: TemporaryFolder;

  beforeAll(async () => {
    server = await spawnServer(sqlite);
    folder = await temporaryFolder("tour");
    mkdirSync(join(folder.path, "data"));
    writeFileSync(join(folder.path, "data", "admin-token"), `${adminToken}\n`);
    for (const name of ["examples", "node_modules"]) symlinkSync(join(root, name), join(folder.path, name));
  });

  afterAll(async () => {
    await server.stop();
    await folder.remove();
  });

  test("works as pasted, and prints the documented output", async () => {
    const tour = readDoc("docs/tour.md").split("## A tour")[1]!.split("\n## ")[0]!;
    const shown = await runPasted(commandsIn(tour.replaceAll("http://127.0.0.1:8787", server.url)), {
      cwd: folder.path,
      // Background jobs of the tour end with it, also if it fails.
      before: "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
    });
    const expected = [
      /"role":"admin"/,
      /"name":"acme".*"key":"tg_[0-9a-f]{32}_[0-9a-f]{8}"/,
      /"valid":true.*"seats":12/,
      /"valid":false,"code":"malformed"/,
      /204 No Content[\s\S]*location: [\s\S]*"valid":false,"code":"expired"[\s\S]*"total":2/i,
      /"key":"\*{4}[0-9a-f]{8}"[\s\S]*"total":1/,
      /"code":"validation_failed".*"pointer":"\/name".*"pointer":"\/color"/,
      /"role":"verifier".*"token":"tgt_/,
      /"planExternalId":"price_gold"/,
      /"status":"active".*"nextBillingCycle"/,
      /"accepted":1,"duplicates":1,"rejected":\[\{"index":2/,
      /"allowed":true[\s\S]*"allowed":false[\s\S]*"used":10,"max":10,"available":0/,
      /"agrees":true/,
      /^/,
      /"status":"queued"/,
      /^\{"status":"SUCCESS"/,
      /^HTTP\/1.1 401 [\s\S]*www-authenticate: Bearer[\s\S]*"key_missing"[\s\S]*HTTP\/1.1 429 [\s\S]*retry-after: \d+/i,
      /"max":12[\s\S]*HTTP\/1.1 200 OK[\s\S]*\{"consumer":"acme"[\s\S]*"item":"tea"[\s\S]*"code":"quota_exceeded"/,
      /\{"greeting":"Hello, world!","from":"acme","seats":12\}/,
      /"used":12,"max":12[\s\S]*"message":"acme greets world"[\s\S]*"number":1,/,
      /204 No Content[\s\S]*"deployment_not_found"[\s\S]*204 No Content[\s\S]*204 No Content/,
    ];
    expect(shown).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern);
  });
});

describe("the commands work as pasted", () => {
  const documents: Record<string, RegExp[]> = {
    "docs/agents.md": [
      /"role":"reader".*"token":"tgt_/,
      /\\"operationId\\":\\"listRequests\\"[\s\S]*"structuredContent":\{"data":\[\]/,
    ],
    "docs/analytics.md": [
      /"step":"1h","series":\[\{"key":null,"totals":\{"requests":0,/,
      /"series":\[\]/,
      /^time,key,isOther,requests,/,
      /"step":"1h","series":\[\]/,
      /"allowed":true/,
      /"meters":\{"requests":\{"used":9,"max":10,"points":\[/,
      /"share":0\.9,[\s\S]*acme,active,.*,requests,9,10,1,0\.9/,
    ],
    "docs/api.md": [
      /"role":"admin"/,
      /"role":"verifier".*"token":"tgt_[\s\S]*"name":"my gateway"[^}]*\}\],"limit":1000,"offset":0,"total":2/,
      /"data":\[\],"limit":10,"offset":0,"total":0/,
      /"id":"(mtr_\w+)"[\s\S]*idempotency-replayed: true[\s\S]*"id":"\1"/,
    ],
    "docs/billing.md": [
      /"isTest":true,"clock":"2040-01-01T00:00:00.000Z"/,
      /"numberPrefix":"W-","termsDays":14/,
      /"planExternalId":"gold"[\s\S]*"features":\{"support":"by phone"\}/,
      /"payment":\{"state":"pending"[\s\S]*"number":"TEST-W-000001"[\s\S]*"status":"paid"[\s\S]*"total":"30.00"[\s\S]*,plan,Gold,.*,30\.00,30\.00,/,
      /"total":"43.00"[\s\S]*"total":"30.00"[\s\S]*"number":"TEST-W-000002"[\s\S]*"amount":"13.00"[\s\S]*"total":"43.00"/,
      /"timing":"now"[\s\S]*"amount":"-29.9\d"[\s\S]*"cancelsOn":"2040-03-01T00:00:00.000Z"[\s\S]*"total":14/,
      /"subscriptionId":"sbsc_[\s\S]*"customerKey":"globex"/,
      /"meter":"requests","amount":50[\s\S]*"currency":"EUR"[\s\S]*"credits":50[\s\S]*"total":2[\s\S]*"kind":"granted","amount":50[\s\S]*"status":"voided"/,
      /"rollover":\{"requests":\{"maximum":30,"periods":2\}\}/,
      /"packExternalId":"credits_1000"[\s\S]*"purchaseId":"pprc_[\s\S]*"state":"paid"[\s\S]*\{"amount":"10.00","state":"succeeded"\}/,
      /"topUp":\{"packExternalId":"credits_1000","below":100,"maximumPerMonth":"50.00","isEnabled":true\}/,
      /"spendCap":\{"amount":"50.00","action":"block","currency":"EUR"\}/,
      /"type":"credit-note"[\s\S]*"refund":\{"amount":"5.00","state":"succeeded"\}/,
      /"subject":"/,
    ],
    "docs/metering.md": [
      /^$/,
      /"label":"Gold"[\s\S]*"label":"Gold".*"total":1/,
      /"customerKey":"acme".*"quotaResetAnchor":"2026-01-31T00:00:00.000Z"/,
      /"keyBucket":"main"/,
      /"accepted":1,"duplicates":1,"rejected":\[\{"index":2,/,
      /"accepted":1,[\s\S]*"id":"3",[\s\S]*"voidedOn":"/,
      /"allowed":true,.*"used":97,[\s\S]*"allowed":false,.*"used":97,/,
      /"used":97,"max":100,"available":3[\s\S]*"periodStart":"2026-02-28T00:00:00.000Z","periodEnd":"2026-03-31T00:00:00.000Z"/,
      /"planExternalIds":\["price_gold"\][\s\S]*"used":97,"max":597,"available":500/,
      /"agrees":true/,
    ],
  };
  for (const [path, expected] of Object.entries(documents))
    test(path, async () => {
      const server = await spawnServer(sqlite);
      const folder = await temporaryFolder("pasted");
      try {
        mkdirSync(join(folder.path, "data"));
        writeFileSync(join(folder.path, "data", "admin-token"), `${adminToken}\n`);
        const document = readDoc(path).replaceAll("http://127.0.0.1:8787", server.url);
        const shown = await runPasted(commandsIn(document), { cwd: folder.path });
        expect(shown).toHaveLength(expected.length);
        for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern);
      } finally {
        await server.stop();
        await folder.remove();
      }
    });
});

describe("the documents", () => {
  test("every problem code is explained in errors.md, with its status", () => {
    const documented = [...readDoc("docs/errors.md").matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(
      ([, status, code]) => `${status} ${code}`,
    );
    const actual = Object.entries(catalogue).map(([code, { status }]) => `${status} ${code}`);
    expect(documented.toSorted()).toEqual(actual.sort());
    const statuses = documented.map((row) => row.slice(0, 3));
    expect(statuses).toEqual(statuses.toSorted());
  });

  test("every reason why verify-key rejects a key is explained in errors.md", () => {
    const [, rejections] = readDoc("docs/errors.md").split("| code | meaning |");
    const documented = [...rejections!.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(documented).toEqual([...verificationCodes]);
  });

  test("every type of event is listed in webhooks.md", () => {
    const rows = readDoc("docs/webhooks.md").match(/^\| `[\w-]+\.\w+`[^|]*/gm)!;
    const documented = rows.flatMap((row) => {
      const names = [...row.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!);
      const resource = names[0]!.split(".")[0];
      return names.map((name) => (name.startsWith(".") ? `${resource}${name}` : name));
    });
    expect(documented.toSorted()).toEqual([...eventTypes, testType].sort());
  });

  test("every setting is explained in settings.md", () => {
    const documented = [...readDoc("docs/settings.md").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual([...parseConfig({}).names].sort());
  });

  test("settings.md says which values the code accepts: npm run generate", () => {
    const page = readDoc("docs/settings.md");
    expect(withValues(page)).toBe(page);
  });

  test("the diagrams are drawn from their text: npm run generate", async () => {
    for (const [name, svg] of await diagrams()) expect(readDoc(`docs/diagrams/${name}`)).toBe(svg);
  });

  test("links between them are valid", () => {
    const broken = documents.flatMap((document) =>
      [...readDoc(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)]
        .filter(([, target]) => !existsSync(join(root, document, "..", target!)))
        .map(([, target]) => `${document} links to ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("links with a fragment point to a heading", () => {
    const broken = documents.flatMap((document) =>
      [...readDoc(document).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, target, anchor]) => !anchorsOf(target ? join(document, "..", target) : document).has(anchor!))
        .map(([link]) => `${document}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test("the files and folders that they name exist", () => {
    const named = documents.flatMap((document) =>
      [...withoutCode(readDoc(document)).matchAll(/`([\w.*-]+(?:\/[\w.*-]+)*\/?)`/g)]
        .filter(([, name]) => isOurs(name!))
        .map(([, name]) => ({ document, name: name! })),
    );
    expect(named.length).toBeGreaterThan(50);
    const missing = named.filter(({ name }) => !exists(name));
    expect(missing.map(({ document, name }) => `${document} names ${name}`)).toEqual([]);
  });
});

test("the scripts and tests that the documents name exist", () => {
  const scripts = new Set(Object.keys(packageJson.scripts));
  const wrong = documents.flatMap((document) => {
    const text = readDoc(document);
    const unknown = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].filter(([, name]) => !scripts.has(name!));
    const unmatched = [...text.matchAll(/bun test (\S+\.test\.ts)(?: -t "([^"]+)")?/g)].filter(
      ([, file, title = ""]) => !existsSync(join(root, file!)) || !readDoc(file!).includes(title),
    );
    return [...unknown, ...unmatched].map(([command]) => `${document}: ${command}`);
  });
  expect(wrong).toEqual([]);
});

test("the commands and options that the documents name exist", async () => {
  const commands = new Map((await allCommands()).map(({ name, command }) => [name, command]));
  const groups = new Set([...commands.keys()].map((name) => name.split(" ")[0]!));
  // Decisions also name commands that are not for people.
  const pages = documents.filter((document) => !document.startsWith("docs/decisions/"));
  const wrong = pages.flatMap((document) =>
    [...withoutCode(readDoc(document)).matchAll(/`tollgate ([a-z][^`]*)`/g)].flatMap(([, line]) => {
      const words = line!.split(/ +/);
      const name = [words.slice(0, 2).join(" "), words[0]!].find((each) => commands.has(each));
      // A group, such as `tollgate plans`, and verbs that are listed, such as `plans create|update`.
      if (name === undefined)
        return groups.has(words[0]!) && (words.length === 1 || /[|…]/.test(words[1]!))
          ? []
          : [`${document}: tollgate ${line}`];
      const options = new Set([...Object.keys(commands.get(name)!.options).map(optionName), ...commonOptions]);
      const unknown = [...line!.matchAll(/ --([a-z-]+)/g)].filter(([, option]) => !options.has(option!));
      return unknown.map(([, option]) => `${document}: tollgate ${name} has no --${option}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("nothing runs a package of the name tollgate from npm, which someone else could publish", () => {
  const files = [...documents, ...filesOf("{deploy,examples}/**/*"), ...filesOf(".github/**/*")];
  expect(files.filter((file) => /tollgate@(latest|\$|\d)|npx (--yes|-y) tollgate/.test(readDoc(file)))).toEqual([]);
});

test("variables of commands are set on the page that uses them", () => {
  // The examples in the reference of the CLI are single commands.
  const pages = documents.filter((document) => document !== "docs/cli.md");
  const unset = pages.flatMap((document) => {
    const commands = commandsIn(readDoc(document)).join("\n");
    const used = [...commands.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name!);
    const isSet = (name: string) => new RegExp(`\\b${name}=|read -r ${name}\\b`).test(commands);
    return [...new Set(used)].filter((name) => !isSet(name)).map((name) => `${document}: ${name}`);
  });
  expect(unset).toEqual([]);
});

/** Without node_modules: the benchmarks install rivals from npm. */
const filesOf = (glob: string) =>
  [...new Bun.Glob(glob).scanSync(root)].filter((path) => !path.includes("node_modules/"));
const documents = ["*.md", "{bench,docs,examples,torture}/**/*.md"].flatMap(filesOf);
const sources = filesOf("{bench,bin,deploy,docs,examples,scripts,src,test,torture}/**/*");
const folders = new Set([...sources.map((path) => path.split("/")[0]!), ...readdirSync(join(root, "src"))]);

function withoutCode(document: string): string {
  return document.replaceAll(/^```[\s\S]*?^```/gm, "");
}

/** The anchors of a document's headings, as GitHub generates them, and those that rows of tables have on the site. */
function anchorsOf(document: string): Set<string> {
  const text = withoutCode(readDoc(document));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  const rows = [...text.matchAll(/^\| (?:\d+ \| )?`([\w.-]+)` \|/gm)].map(([, name]) => slugOf(name!));
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...anchors, ...rows]);
}

/**
 * A path from the root or from `src/`, or the name of a source file. Other paths are of a user's project or of the API.
 */
function isOurs(name: string): boolean {
  return name.includes("/") ? folders.has(name.split("/")[0]!) : /^\w[\w.-]*\.ts$/.test(name);
}

function exists(name: string): boolean {
  const patterns = name.includes("/") ? [name, `src/${name}`] : [`**/${name}`];
  return patterns.some((pattern) => {
    const glob = new Bun.Glob(pattern.endsWith("/") ? `${pattern}**` : `{${pattern},${pattern}/**}`);
    return sources.some((path) => glob.match(path));
  });
}

test("bench/README.md describes every benchmark", () => {
  const described = readDoc("bench/README.md").match(/(?<=^\| `)[\w-]+(?=` )/gm);
  expect<string[] | undefined>(described?.sort()).toEqual(benchmarks.map(({ name }) => name).sort());
});
