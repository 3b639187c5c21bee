import { writeFile } from "node:fs/promises";
import type { ConnectionOptions, DeploymentLogLine, LogOptions, Tollgate } from "../../client/index.ts";
import { defineCommand } from "../arguments/command.ts";
import { argument, flag, integer, named, oneOf, option, optionalArgument, pastTime } from "../arguments/values.ts";
import { connectTo, remoteOptions, showFields, targetOptions } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { followBuild, waitOptions } from "../output/build-progress.ts";
import { connectionNotes } from "../output/connection-notes.ts";
import { logLine } from "../output/log-line.ts";
import { counted, printable, showList } from "../output/show.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";

const marks = { added: ["+", "green"], removed: ["-", "red"], changed: ["~", "yellow"] } as const;

const deployment = resource({
  one: "a deployment",
  id: { name: argument("the deployment, such as orders-main-3f9c2a1") },
  sample: "orders-main-3f9c2a1",
  api: (client) => client.deployments,
  idOf: deploymentNamed,
});

/** The name of a deployment, given it or a project that has one deployment. */
async function deploymentNamed(deployments: Tollgate["deployments"], given: string): Promise<string> {
  if (/-[0-9a-f]{7}$/.test(given)) return given;
  const { data } = await deployments.listAll({ project: given, limit: 10 }).page();
  if (data.length > 1)
    throw new UsageError(`${given} has several deployments.`, `Name one: ${data.map(({ name }) => name).join(", ")}`);
  return data[0]?.name ?? given;
}

export const deployments = group({
  name: "deployments",
  summary: "Deployed gateways: versions, roll-back, logs",
  commands: {
    list: deployment.listOf({
      summary: "List deployments, one for each project and branch",
      arguments: { project: optionalArgument("only deployments of this project") },
      options: { branch: option("only deployments of this branch", named("NAME")) },
      columns: ["name", "projectName", "branchName", "state", "message", "url", "environmentType", "updatedOn"],
      examples: {
        "tollgate deployments list": "The deployments of all projects.",
        "tollgate deployments list orders": "Production and previews of one project.",
      },
      query: ({ project, branch }) => ({ project, branch }),
      read: (api, query) => api.listAll(query),
    }),
    show: deployment.show({ examples: "Its state and its address." }),
    versions: deployment.listOf({
      summary: "List the versions of a deployment, the oldest first",
      arguments: { name: argument("the deployment") },
      things: "versions",
      columns: ["number", "isActive", "createdOn", "author", "note", "routes", "id", "statusId"],
      examples: {
        "tollgate deployments versions orders-main-3f9c2a1": "With the version that serves, authors and notes.",
      },
      query: ({ name }) => ({ name }),
      read: async (api, { name, limit, offset }) => api.versions(await deploymentNamed(api, name), { limit, offset }),
      row: ({ author }) => ({ author: author?.name ?? author?.type }),
    }),
    version: deployment.action({
      summary: "Show a version with its contents",
      details: `The OpenAPI document, routes, policies with their options, plain variables and code. Secrets of the project are shown as \${NAME}.`,
      arguments: { number: argument("its number") },
      examples: {
        "tollgate deployments version orders-main-3f9c2a1 3": "The contents of version 3.",
      },
      call: (api, name, { number }) => api.version(name, number),
      show: ({ contents, ...version }, terminal) => {
        showFields(version, terminal);
        const { document, code, ...rest } = contents;
        if (document) terminal.print(`\n${document.text.trimEnd()}`);
        terminal.print(`\n${JSON.stringify(rest, null, 2)}`);
        if (code !== null) terminal.print(`\n${code}`);
      },
    }),
    source: defineCommand({
      summary: "Download the project of a version, as it was uploaded",
      details: "Writes a gzip tar. Secrets of the project are not in it, only their names.",
      arguments: { name: argument("the deployment") },
      options: {
        version: option("the number of a version; the one that serves by default", integer),
        output: option("the archive; by default the project's name with .tar.gz", named("FILE", "file")),
        ...targetOptions,
      },
      examples: {
        "tollgate deployments source orders-main-3f9c2a1": "The project that serves, to change it with the CLI.",
        "tollgate deployments source orders-main-3f9c2a1 --version 3 && tar -xzf orders.tar.gz -C orders":
          "An earlier version, unpacked into a folder that exists.",
      },
      async run({ name: given, version, output, ...target }, context) {
        const client = await connectTo(target, context);
        const name = await deploymentNamed(client.deployments, given);
        const { projectName, activeVersion } = await client.deployments.get(name);
        const archive = await client.deployments.source(name, version ?? activeVersion ?? 1);
        const file = output ?? `${projectName}.tar.gz`;
        await writeFile(file, new Uint8Array(await archive.arrayBuffer()));
        context.terminal.print(file);
      },
    }),
    routes: deployment.action({
      summary: "List the routes of a deployment, with their policies and targets",
      options: { version: option("the number of a version; the one that serves by default", integer) },
      examples: {
        "tollgate deployments routes orders-main-3f9c2a1": "With the policies of each route.",
        "tollgate deployments routes orders-main-3f9c2a1 --version 2": "The routes of an earlier version.",
      },
      call: (api, name, { version }) => api.routes(name, { version }),
      show({ version, data }, terminal) {
        const rows = data.map(({ policies, target, ...route }) => ({
          ...route,
          policies: policies.map(({ name, mode }) => (mode ? `${name} (${mode})` : name)),
          target:
            "policy" in target
              ? `policy ${target.policy}`
              : "upstream" in target
                ? (target.targets ?? [target.upstream]).join(", ")
                : target.handler,
        }));
        showList(terminal, rows, ["method", "path", "target", "policies", "timeoutSeconds", "operationId"]);
        terminal.note(`${counted(data.length, "route")} of version ${version}.`, "dim");
      },
    }),
    changes: deployment.action({
      summary: "Compare deployments or versions: routes, policies, breaking changes",
      details: "Breaking changes are those of the OpenAPI document that can break clients.",
      options: {
        version: option("the number of a version; by default the one that serves", integer),
        with: option(
          "a deployment of the same project, or the number of a version of this one; production by default",
          named("NAME"),
        ),
      },
      examples: {
        "tollgate deployments changes orders-preview-1a2b3c4": "What would change in production.",
        "tollgate deployments changes orders-main-3f9c2a1 --version 3 --with 2":
          "What version 3 changed, compared with version 2.",
        "tollgate deployments changes orders-preview-1a2b3c4 --json | jq -e '.breaking == []'":
          "In CI: fails if there are breaking changes.",
      },
      call: (api, name, { version, with: other }) =>
        api.changes(name, {
          version,
          ...(/^\d+$/.test(other ?? "") ? { withVersion: other } : { with: other }),
        }),
      show({ routes, policies, breaking, with: other }, terminal) {
        if (!other) {
          terminal.note("There is nothing to compare with: no other deployment of the production branch is live.");
          return;
        }
        const lines = [
          ...routes.map(({ method, path, ...rest }) => ({ ...rest, subject: `${method} ${path}` })),
          ...policies.map(({ name, ...rest }) => ({ ...rest, subject: `policy ${name}` })),
        ];
        for (const { change, subject, details } of lines) {
          const [mark, style] = marks[change];
          terminal.print(`${mark} ${printable(subject)}`, style);
          for (const detail of details) terminal.print(`    ${printable(detail)}`);
        }
        for (const { method, path, detail } of breaking)
          terminal.print(`! ${printable(`${method} ${path}: ${detail}`)}`, "red");
        if (lines.length + breaking.length === 0)
          terminal.note(`There are no changes, compared with version ${other.version} of ${other.deploymentName}.`);
      },
    }),
    upstreams: deployment.action({
      summary: "List the upstreams of a deployment, with the health of their targets",
      examples: "With the reason why a target gets no requests.",
      call: (api, name) => api.upstreams(name),
      show({ version, data }, terminal) {
        const hasCanary = data.some((upstream) => upstream.version !== version);
        const rows = data.flatMap(({ version: ofVersion, targets, balance, routes }) =>
          targets.map(({ url, weight, state, inFlight, consecutiveErrors, ejectedUntil, lastCheck }) => ({
            version: ofVersion,
            target: url,
            state,
            weight,
            balance: targets.length > 1 ? balance : undefined,
            routes,
            inFlight,
            errors: consecutiveErrors || undefined,
            ejectedUntil,
            lastCheck: lastCheck && (lastCheck.status ? String(lastCheck.status) : lastCheck.error),
          })),
        );
        showList(terminal, rows, [
          ...(hasCanary ? (["version"] as const) : []),
          "target",
          "state",
          "weight",
          "balance",
          "routes",
          "inFlight",
          "errors",
          "lastCheck",
          "ejectedUntil",
        ]);
        terminal.note(
          `${counted(rows.length, "target")} of version ${version}${hasCanary ? " and its canary" : ""}.`,
          "dim",
        );
      },
    }),
    rollback: deployment.action({
      summary: "Roll back to an earlier version, without a build",
      arguments: { number: optionalArgument("the number of the version; by default the previous one") },
      options: { version: option("the same", integer) },
      examples: {
        "tollgate deployments rollback orders-main-3f9c2a1": "To the previous version.",
        "tollgate deployments rollback orders-main-3f9c2a1 3": "To version 3.",
      },
      call: (api, name, { number, version }) =>
        api.rollBack(name, { version: number === undefined ? version : integer.parse(number) }),
      show({ url }, terminal, { number, version = number }) {
        terminal.note(`${version === undefined ? "The previous version" : `Version ${version}`} serves again:`);
        terminal.print(url);
      },
    }),
    redeploy: defineCommand({
      summary: "Build the stored source again",
      arguments: { name: argument("the deployment") },
      options: { ...waitOptions, ...remoteOptions },
      examples: { "tollgate deployments redeploy orders-main-3f9c2a1": "Builds the last upload." },
      async run({ name: given, noWait, json, ...target }, context) {
        const client = await connectTo(target, context);
        const name = await deploymentNamed(client.deployments, given);
        const { projectName } = await client.deployments.get(name);
        const enqueued = await client.deployments.redeploy(name);
        return followBuild(client, projectName, enqueued, context.terminal, { noWait, json });
      },
    }),
    delete: deployment.delete({
      summary: "Delete a deployment: its address returns 404 immediately",
      effect: "which stops serving immediately",
      examples: "Asks first.",
    }),
    logs: defineCommand({
      summary: "Show the log of a deployment: requests, console output, builds",
      details: "With --follow and --json: one JSON object per line.",
      arguments: { name: argument("the deployment") },
      options: {
        follow: flag("follow the log: print new lines until Ctrl-C", "f"),
        kind: option("only requests, only console output or only builds", oneOf("access", "console", "build")),
        limit: option("the number of newest lines; 100 by default, at most 1000", integer),
        since: option("only since this time, such as -1h", pastTime),
        ...remoteOptions,
      },
      examples: {
        "tollgate deployments logs orders-main-3f9c2a1 -f": "The newest lines, and then new ones.",
        "tollgate deployments logs orders-main-3f9c2a1 --kind console --since -1h": "Console output of the last hour.",
      },
      async run({ name: given, follow, kind, limit, since, json, ...target }, context) {
        const { terminal } = context;
        const client = await connectTo(target, context);
        const name = await deploymentNamed(client.deployments, given);
        if (!follow) {
          const data = await client.deployments.logs(name, { limit, since, kind });
          if (json) terminal.printJson({ data });
          else for (const line of data) terminal.print(logLine(terminal, line));
          if (data.length === 0) terminal.note("There are no log lines.");
          return undefined;
        }
        const signal = onInterrupt();
        try {
          for await (const line of oldAndNew(client, name, { limit, since, kind, signal }, connectionNotes(terminal)))
            terminal.print(json ? JSON.stringify(line) : logLine(terminal, line));
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
    }),
  },
});

/** Subscribes before it reads, so that no line is missed. Lines returned by both are printed once. */
async function* oldAndNew(
  client: Tollgate,
  name: string,
  { kind, signal, ...options }: LogOptions,
  notes: ConnectionOptions,
): AsyncGenerator<DeploymentLogLine> {
  const following = client.deployments.followLogs(name, { kind, signal, ...notes });
  const first = following.next();
  // If the deployment does not exist, the read below fails too and reports it.
  first.catch(() => undefined);
  const old = await client.deployments.logs(name, { kind, signal, ...options });
  yield* old;
  const seen = new Set(old.map(({ id }) => id));
  for (let next = await first; !next.done; next = await following.next())
    if (!seen.has(next.value.id)) yield next.value;
}
