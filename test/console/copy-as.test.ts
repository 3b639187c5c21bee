import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { commandTable } from "../../scripts/generate-command-table.ts";
import { commandOf } from "../../src/web/console/shell/command-of.ts";
import { commands } from "../../src/web/console/shell/commands.gen.ts";

const folder = join(import.meta.dir, "../../src/web/console");

test("every dialog with an action shows it as a request and as a command", async () => {
  const without: string[] = [];
  let dialogs = 0;
  for await (const path of new Glob("**/*.tsx").scan(folder)) {
    const text = await Bun.file(join(folder, path)).text();
    dialogs += text.match(/<ConfirmCall\b/g)?.length ?? 0;
    for (const opening of text.matchAll(/<(Confirm|Dialog)\b[\s\S]*?\n\s*>\n/g)) {
      const [tag, name] = opening;
      if (name === "Dialog" && !tag.includes("onSubmit=")) continue;
      dialogs += 1;
      if (!tag.includes("footStart=")) without.push(path);
    }
  }
  expect(without).toEqual([]);
  expect(dialogs).toBeGreaterThan(30);
});

test("the table of commands is what the commands of the CLI send", async () => {
  const isCurrent = JSON.stringify(commands) === JSON.stringify(await commandTable());
  expect(isCurrent, "commands.gen.ts is not current: run `npm run generate`").toBe(true);
});

const consumers = "/v1/accounts/acme/key-buckets/main/consumers";
const subscription = {
  planIds: ["plan_1"],
  planExternalIds: ["gold"],
  type: "periodic",
  customerKey: "acme",
  status: "active",
};

test.each([
  ["DELETE", `${consumers}/ada`, undefined, "consumers delete ada --bucket main"],
  [
    "GET",
    `${consumers}?tag.plan=gold&sort=lastUsedOn`,
    undefined,
    "consumers list --bucket main --tag plan=gold --sort lastUsedOn",
  ],
  [
    "POST",
    `${consumers}?with-api-key=true`,
    { name: "ada", managers: ["a@acme.example"], metadata: { at: { level: 3 } } },
    `consumers create ada --bucket main --with-key --metadata '{"at":{"level":3}}' --manager a@acme.example`,
  ],
  [
    "PATCH",
    `${consumers}/ada`,
    { description: "The first", tags: null },
    "consumers update ada --bucket main --description 'The first' --clear tags",
  ],
  [
    "POST",
    `${consumers}/$update`,
    { names: ["ada"], set: { isSuspended: false } },
    "consumers resume --bucket main --name ada",
  ],
  [
    "PATCH",
    `${consumers}/ada/keys/key_1`,
    { rateLimit: { requests: 600, windowSeconds: 60 }, isEnabled: true },
    "keys update ada key_1 --bucket main --enabled true --rate-limit 600/60",
  ],
  [
    "PUT",
    "/v1/accounts/acme/projects/orders/variables/TOKEN",
    { value: "…", isSecret: true },
    "variables set TOKEN --project orders --secret",
  ],
  [
    "POST",
    "/v1/metering/units/subscriptions",
    subscription,
    "subscriptions create acme --bucket units --plan gold --status active",
  ],
  [
    "PATCH",
    "/v1/accounts/acme/trusted-issuers/tris_1",
    { environments: ["PREVIEW"], project: null },
    "issuers update tris_1 --environment preview --clear project",
  ],
  [
    "POST",
    `${consumers}/$update`,
    { names: ["ada", "bob"], set: { addTags: { seats: 5 }, removeTags: ["plan"] } },
    "consumers tag --bucket main --name ada --name bob --add seats=5 --remove plan",
  ],
  ["GET", "/v1/deployments?accountName=acme", undefined, "deployments list"],
  ["DELETE", "/v1/deployments/orders-main?accountName=acme", undefined, "deployments delete orders-main"],
])("%s %s is a command", (method, path, body, command) => {
  expect(commandOf({ method, path, body })).toBe(`tollgate ${command}`);
});

test.each([
  ["an operation without a command", "POST", "/v1/accounts/acme/views", { name: "mine" }],
  ["a field that no option sets", "PATCH", `${consumers}/ada`, { isSuspended: true }],
  ["a value that the command does not send", "POST", `${consumers}/$update`, { names: ["ada"], set: {} }],
])("%s has no command", (_what, method, path, body) => {
  expect(commandOf({ method, path, body })).toBeUndefined();
});
