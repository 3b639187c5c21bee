import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { defineCommand } from "../arguments/command.ts";
import { flag, named, option, optionalArgument, optionOr } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";
import { editorFiles, referringToSchema } from "../projects/editor-files.ts";
import { ignoringEnvFile } from "../projects/env-file.ts";
import { expectUpstream, readExistingApi } from "../projects/existing-api.ts";
import { defaultBranchOf } from "../projects/git-branches.ts";
import { newProject, projectFor, proxyFor } from "../projects/new-project.ts";
import { projectNameOf } from "../projects/project-name.ts";
import { modelsProject, toolsFor, toolsProject } from "../projects/templates.ts";

export const init = defineCommand({
  summary: "Create a gateway project that is ready to deploy",
  arguments: { folder: optionalArgument("the folder; the current one by default", "folder") },
  options: {
    openapi: option("an OpenAPI document to begin with, as JSON or YAML", named("FILE", "file")),
    upstream: option("with --openapi: the URL of the API; by default the first server in the document", named("URL")),
    proxy: option("the URL of an API without a document: every path and method is forwarded to it", named("URL")),
    preserveHost: flag("with --proxy: the API gets the Host header of the client, instead of its own host"),
    bucket: optionOr("with --proxy: the key bucket of its callers", "main", named("NAME")),
    quota: option(
      "with --proxy: a meter of the consumers' plans, of which each request takes 1; instead of a rate limit",
      named("METER"),
    ),
    meteringBucket: optionOr("with --quota: the metering bucket of the plans", "main", named("NAME")),
    models: option(
      "offer language models of a provider: openai, anthropic, or the URL of a server with the API of OpenAI",
      named("PROVIDER"),
    ),
    mcp: flag("offer the operations to agents as tools, at /mcp; also with --openapi"),
    force: flag("write into a folder with files; files of the same name are replaced"),
  },
  examples: {
    "tollgate init my-gateway && cd my-gateway && tollgate dev": "Create a project and run it on this machine.",
    "tollgate init && tollgate deploy": "Create a project and deploy it.",
    "tollgate init gateway --openapi openapi.yaml --upstream https://api.example.com": "A gateway for an existing API.",
    "tollgate init gateway --proxy https://api.example.com": "A gateway for an API without an OpenAPI document.",
    "tollgate init gateway --proxy https://api.example.com --quota requests": "The same, with the limits of plans.",
    "tollgate init my-models --models openai": "Language models: 5 USD included, then cost plus 20 %.",
    "tollgate init my-tools --mcp --openapi openapi.yaml --upstream https://api.example.com":
      "An existing API whose operations agents call as tools.",
  },
  async run(
    { folder = ".", openapi, upstream, proxy, preserveHost, bucket, quota, meteringBucket, models, mcp, force },
    { terminal },
  ) {
    if (models !== undefined && (openapi ?? proxy) !== undefined)
      throw new UsageError("--models cannot be combined with --openapi or --proxy.", "tollgate init --models openai");
    if (mcp && (models ?? proxy) !== undefined)
      throw new UsageError(
        "--mcp cannot be combined with --models or --proxy: their operations are not known.",
        "tollgate init --mcp --openapi FILE",
      );
    if (upstream !== undefined && openapi === undefined)
      throw new UsageError("--upstream requires --openapi.", "tollgate init --openapi FILE --upstream URL");
    if (proxy !== undefined && openapi !== undefined)
      throw new UsageError("--proxy cannot be combined with --openapi or --upstream.", "--openapi FILE --upstream URL");
    if (preserveHost && proxy === undefined)
      throw new UsageError("--preserve-host requires --proxy.", "tollgate init --proxy URL --preserve-host");
    if (quota !== undefined && proxy === undefined)
      throw new UsageError("--quota requires --proxy.", "tollgate init --proxy URL --quota METER");
    const project = { name: projectNameOf(folder), productionBranch: await defaultBranchOf(folder) };
    const files =
      models !== undefined
        ? modelsProject(models, project)
        : proxy !== undefined
          ? proxyFor(expectUpstream("--proxy", proxy), project, {
              preserveHost,
              bucket,
              quota: quota === undefined ? undefined : { bucketId: meteringBucket, meter: quota },
            })
          : openapi === undefined
            ? (mcp ? toolsProject : newProject)(project)
            : (mcp ? toolsFor : projectFor)(await readExistingApi(openapi, upstream), project);
    const present = await filesIn(folder);
    if (present.length > 0 && !force)
      throw new UsageError(
        `${resolve(folder)} contains files already (${present[0]}).`,
        "--force writes the project into it.",
      );
    for (const [path, content] of Object.entries({
      ...files,
      "tollgate.json": referringToSchema(files["tollgate.json"]!),
      ...(await editorFiles()),
      ".gitignore": await ignoringEnvFile(folder),
    })) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      terminal.note(`${terminal.noteStyle("green", "+")} ${relative(".", file)}`);
    }
    if (models !== undefined)
      terminal.note(
        `\nIt needs a credential, a metering bucket and a plan: ${join(folder, "README.md")} has the commands.`,
      );
    const change = folder === "." ? "" : `cd ${shellWord(folder)} && `;
    terminal.note(`\nRun it on this machine: ${terminal.noteStyle("bold", `${change}tollgate dev`)}`);
    terminal.note(`Deploy it to a server:  ${terminal.noteStyle("bold", `${change}tollgate deploy`)}`);
  },
});

/** Files whose name begins with a dot, such as .git, do not conflict. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith("."));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`${folder} cannot be written to (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/**
 * Quotes a text as one word of a POSIX shell. The console has its own copy, because browser code imports only the
 * client.
 */
function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
