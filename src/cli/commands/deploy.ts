import { resolve } from "node:path";
import { BuildError, type Deployment, type Tollgate, TollgateError } from "../../client/index.ts";
import { defineCommand } from "../arguments/command.ts";
import { named, option, optionalArgument, percentage, requiredOption } from "../arguments/values.ts";
import { connectTo, remoteOptions } from "../connection/remote.ts";
import { readProject } from "../local-development/dev-project.ts";
import { canaryOptions, canaryRelease } from "../options/canary-options.ts";
import { showBuildError, showBuildMessages } from "../output/build-errors.ts";
import { followBuild, waitOptions } from "../output/build-progress.ts";
import { DeployProgress } from "../output/deploy-progress.ts";
import { bytes, counted } from "../output/show.ts";
import { showTraffic } from "../output/traffic.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { PackageErrors } from "../projects/bundle-packages.ts";
import { branchOf } from "../projects/git-branches.ts";
import { packProject } from "../projects/pack-project.ts";
import { checkProjectFolder, projectNameOf } from "../projects/project-name.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const deploy = defineCommand({
  summary: "Deploy a gateway project: from a folder to live traffic",
  details: `Packs the folder, uploads it, and follows it until it is live. If the build fails, the previous version keeps serving.
Files that begin with a dot and node_modules are omitted; packages that modules import are bundled from there.`,
  arguments: { folder: optionalArgument("the project; this folder by default", "folder") },
  options: {
    project: option("the project's name; by default the folder's", named("NAME")),
    branch: option(
      "main is production, others are previews; by default the one that git has checked out",
      named("NAME"),
    ),
    note: option("a description of the version, such as the subject of a commit"),
    canary: option("give the new version this percentage of the requests; the live one keeps the rest", percentage),
    ...canaryOptions,
    ...remoteOptions,
  },
  examples: {
    "tollgate deploy": "This folder.",
    "tollgate deploy examples/orders --project orders --branch preview": "A preview with its own address.",
    "tollgate deploy --canary 5 --abort-errors 2":
      "A canary with 5 % of the requests, aborted if 2 % of them fail. Then: tollgate traffic promote",
    'tollgate deploy --note "Raise the limit of orders"': "The note is shown with the version.",
    'curl "$(tollgate deploy --json | jq -r .url)/status"':
      "In a script: standard output has only the deployment, or the build errors.",
  },
  async run(
    { folder = ".", project, branch, note, canary, stickyBy, abortErrors, abortMinimum, json, ...target },
    context,
  ) {
    const { terminal } = context;
    const release = canaryRelease(canary, { stickyBy, abortErrors, abortMinimum });
    await checkProjectFolder(folder);
    const client = await connectTo(target, context);
    const names = { project: project ?? projectNameOf(folder), branch: branch ?? (await branchOf(folder)) };
    terminal.note(
      `Deploying ${terminal.noteStyle("bold", names.project)}, branch ${terminal.noteStyle("bold", names.branch)}`,
    );
    const archive = await packProject(resolve(folder), terminal).catch((error: unknown) => {
      if (!(error instanceof PackageErrors)) throw error;
      // Like a failed build, but nothing was uploaded, so it has no status.
      if (json) terminal.printJson({ message: "The packages cannot be bundled.", errors: error.errors });
      terminal.note(error.message);
      return undefined;
    });
    if (!archive) return exitCodes.failed;
    const progress = new DeployProgress(terminal);
    try {
      const deployment = await client.deploy(archive, {
        ...names,
        note,
        canary: release,
        onProgress: progress.onProgress,
        onStep: progress.onStep,
      });
      const took = progress.end();
      await noteMissingBuckets(client, folder, terminal);
      if (json) terminal.printJson(deployment);
      else if (release) await showCanary(client, deployment, took, terminal);
      else await showDeployed(client, deployment, folder, took, terminal);
      return exitCodes.success;
    } catch (error) {
      progress.end();
      if (!(error instanceof BuildError)) throw error;
      await showBuildError(error, folder, terminal, { json });
      return exitCodes.failed;
    }
  },
});

async function showCanary(
  client: Tollgate,
  { name, url }: Deployment,
  took: string,
  terminal: Terminal,
): Promise<void> {
  const traffic = await client.traffic.get(name);
  const isCanary = traffic.splits.length > 1;
  terminal.note(
    `${terminal.noteStyle("green", isCanary ? "Canary release" : "Live, as the first version,")} after ${took}`,
  );
  showTraffic(traffic, terminal);
  await showObserving(client, name, terminal, traffic.splits.find(({ isLive }) => !isLive)?.versionNumber);
  if (isCanary) terminal.note(`Then: tollgate traffic promote ${name}, or tollgate traffic stop ${name}`);
  terminal.print(url);
}

/** A policy may name a bucket before its first consumer, but may also have a typo: no key works until there is one. */
async function noteMissingBuckets(client: Tollgate, folder: string, terminal: Terminal): Promise<void> {
  const { policies } = await readProject(folder);
  const named = Object.values(policies).flatMap(({ type, options }) =>
    type === "api-key" ? options?.bucket : undefined,
  );
  for (const bucket of new Set(named))
    if (bucket !== undefined && (await client.buckets.get(bucket).catch(statusOf)) === 404)
      terminal.note(
        `${terminal.noteStyle("yellow", `There is no key bucket ${bucket}, so every key is rejected.`)} Create it with its first key: tollgate consumers create NAME --bucket ${bucket} --with-key`,
      );
}

const statusOf = (error: unknown) => (error instanceof TollgateError ? error.status : 0);

/** The sizes of the tools that agents read. */
function showTools(
  tools: readonly { path: string; name: string; bytes: number; tokens: number }[],
  terminal: Terminal,
) {
  for (const { path, name, bytes: size, tokens } of tools)
    terminal.note(`${path} ${name} ${terminal.noteStyle("dim", `${bytes(size)}, about ${counted(tokens, "token")}`)}`);
}

/** The policies in `observe`, and how to see what they would reject. */
async function showObserving(client: Tollgate, name: string, terminal: Terminal, version?: number): Promise<void> {
  const { data } = await client.deployments.routes(name, { version });
  const policies = data.flatMap(({ policies: all }) => all).filter(({ mode }) => mode === "observe");
  const types = new Map(policies.map((policy) => [policy.name, policy.type]));
  if (types.size === 0) return;
  const list = [...types].map(([policy, type]) => `${policy} (${type})`).join(", ");
  terminal.note(`${terminal.noteStyle("yellow", "In observe, rejecting nothing:")} ${list}`);
  terminal.note(`Then: tollgate analytics ${name} --by policy, or tollgate requests list --observed`);
}

async function showDeployed(
  client: Tollgate,
  { name, url, projectName }: Deployment,
  folder: string,
  took: string,
  terminal: Terminal,
): Promise<void> {
  const version = (await client.deployments.versions(name).all()).find(({ isActive }) => isActive);
  const status = version && (await client.deployments.status(projectName, version.statusId));
  await showBuildMessages(terminal, status?.buildResult.warnings ?? [], folder, "yellow");
  showTools(status?.buildResult.tools ?? [], terminal);
  await showObserving(client, name, terminal);
  const facts = version
    ? `version ${version.number}, ${counted(version.routes, "route")}, ${bytes(version.artifact.bytes)}`
    : "";
  terminal.note(
    `${terminal.noteStyle("green", "Live")} after ${took}${facts && ` ${terminal.noteStyle("dim", `(${facts})`)}`}`,
  );
  terminal.print(url);
}

export const promote = defineCommand({
  summary: "Build what is live in one deployment for another one of the project",
  details: `The source of the version that is live, with the variables of the target, and without an upload. The current version of the
target keeps serving until the new one is live.`,
  options: {
    from: requiredOption("the deployment whose live version is built", named("NAME")),
    to: requiredOption("the deployment that gets it", named("NAME")),
    ...waitOptions,
    ...remoteOptions,
  },
  examples: {
    "tollgate promote --from orders-staging-1a2b3c4 --to orders-main-3f9c2a1":
      "What was tested in staging goes to production.",
  },
  async run({ from, to, noWait, json, ...target }, context) {
    const client = await connectTo(target, context);
    const { projectName } = await client.deployments.get(to);
    const enqueued = await client.deployments.promote(to, from);
    return followBuild(client, projectName, enqueued, context.terminal, { noWait, json });
  },
});
