import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { installProgram } from "./support/cli.ts";
import { IdentityProvider, newSigningKey, type SigningKey, sign } from "./support/identity-provider.ts";
import { openApi } from "./support/project.ts";
import { useCli } from "./support/use-cli.ts";

const folder = join(import.meta.dir, "../deploy/ci/github");
const repository = "acme/shop";
const bench = useCli();

interface Comment {
  id: number;
  body: string;
}

/** A stand-in for the documented HTTP API of GitHub: tokens of jobs, and comments. */
class GitHub {
  comments: Comment[] = [];
  /** The claims of the next token. */
  claims: object = {};
  requests: string[] = [];
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#respond(request) });

  constructor(
    private readonly issuer: string,
    private readonly key: SigningKey,
  ) {}

  get url(): string {
    return this.#server.url.origin;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    this.requests.push(`${request.method} ${pathname}`);
    const authorization = request.headers.get("authorization");
    if (pathname === "/token") {
      if (authorization !== "bearer of-the-job") return new Response("", { status: 401 });
      const claims = { aud: searchParams.get("audience"), ...this.claims };
      return Response.json({ value: await sign(this.key, this.issuer, Date.now(), { claims }) });
    }
    if (authorization !== "Bearer ghs_for-comments") return Response.json({}, { status: 403 });
    const comments = `/repos/${repository}/issues/7/comments`;
    if (pathname === comments && request.method === "GET") {
      const [size, page] = [Number(searchParams.get("per_page")), Number(searchParams.get("page"))];
      return Response.json(this.comments.slice((page - 1) * size, page * size));
    }
    const { body } = (await request.json()) as { body: string };
    if (pathname === comments) {
      this.comments.push({ id: this.comments.length + 1, body });
      return Response.json(this.comments.at(-1), { status: 201 });
    }
    const comment = this.comments.find(({ id }) => pathname === `/repos/${repository}/issues/comments/${id}`);
    if (!comment) return Response.json({}, { status: 404 });
    comment.body = body;
    return Response.json(comment);
  }
}

let provider: IdentityProvider;
let github: GitHub;
/** A folder with the program `tollgate`. */
let programs: string;

beforeAll(async () => {
  programs = await installProgram(bench.cli.folder);
  const key = await newSigningKey("first");
  provider = await IdentityProvider.start([key]);
  github = new GitHub(provider.issuer, key);
  // Comments of others come first, on several pages.
  github.comments = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, body: "Looks good" }));
  await bench.client.trustedIssuers.create({
    issuer: provider.issuer,
    subject: `repo:${repository}:*`,
    role: "editor",
    project: "shop",
  });
  await writeProject({ "/orders": route(), "/old": route() });
  await bench.client.deploy(projectFolder(), { project: "shop", branch: "main" });
});
afterAll(async () => {
  await github.stop();
  await provider.stop();
});

const route = (...policies: string[]) => ({ "x-tollgate": { upstream: "http://127.0.0.1:9", policies } });
const projectFolder = () => join(bench.cli.folder, "gateway");

async function writeProject(paths: Record<string, object>, settings: object = {}): Promise<void> {
  await mkdir(projectFolder(), { recursive: true });
  await writeFile(join(projectFolder(), "openapi.json"), JSON.stringify(openApi(paths), null, 2));
  await writeFile(join(projectFolder(), "tollgate.json"), JSON.stringify(settings));
}

/** Runs the action for an event, as a runner does. */
async function run(event: object, more: Record<string, string> = {}) {
  const eventPath = join(bench.cli.folder, "event.json");
  const [output, summary] = [join(bench.cli.folder, "output"), join(bench.cli.folder, "summary")];
  for (const [file, text] of [
    [eventPath, JSON.stringify(event)],
    [output, ""],
    [summary, ""],
  ] as const)
    await writeFile(file, text);
  github.requests = [];
  const child = Bun.spawn(["node", join(folder, "deploy.mjs")], {
    cwd: bench.cli.folder,
    env: {
      ...bench.cli.anonymous,
      PATH: `${programs}:${process.env.PATH}`,
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: github.url,
      GITHUB_EVENT_NAME: "pull_request",
      GITHUB_EVENT_PATH: eventPath,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: repository,
      GITHUB_STEP_SUMMARY: summary,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
      TOLLGATE_URL: bench.server.url,
      INPUT_PROJECT: "shop",
      INPUT_FOLDER: "gateway",
      INPUT_GITHUB_TOKEN: "ghs_for-comments",
      ...more,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return {
    status,
    log: stdout + stderr,
    output: await readFile(output, "utf8"),
    summary: await readFile(summary, "utf8"),
  };
}

const pull = (action: string, ref = "feature", from = repository) => {
  github.claims = { sub: `repo:${repository}:pull_request`, head_ref: ref };
  return { action, pull_request: { number: 7, head: { ref, repo: { full_name: from } } } };
};
const own = () => github.comments.filter(({ body }) => body.startsWith("<!-- tollgate shop -->"));
const branches = async () => (await bench.client.deployments.list("shop")).map(({ branchName }) => branchName);

describe("the GitHub action", () => {
  test("deploys a pull request without a stored secret, and comments with the changes", async () => {
    await writeProject(
      { "/orders": route("key"), "/new`@everyone`": route() },
      { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
    );
    const { status, log, output, summary } = await run(pull("opened"));
    expect({ status, log }).toEqual({ status: 0, log });
    const deployment = (await bench.client.deployments.list("shop")).find(
      ({ branchName }) => branchName === "feature",
    )!;
    expect(deployment.environmentType).toBe("PREVIEW");
    expect(output).toBe(`url=${deployment.url}\ndeployment=${deployment.name}\n`);
    const [comment, ...more] = own();
    expect(more).toEqual([]);
    expect(summary.trim()).toBe(comment!.body.trim());
    for (const text of [
      `\`feature\` of \`shop\` is live at ${deployment.url}`,
      "**⚠️ Breaking changes**\n\n- `GET /old` `is removed`",
      "- changed `GET /orders`: `policies: none → key`",
      "- removed `GET /old`",
      "- added `` GET /new`@everyone` ``",
      "- added `key`: `type api-key`",
      "Compared with version 1 of `shop-main-",
    ])
      expect(comment!.body).toContain(text);
    // The log has the new token only in the command that masks it.
    const tokens = [...log.matchAll(/tgt_[0-9a-f_]+/g)].map(([token]) => token);
    expect(tokens).toHaveLength(1);
    expect(log).toContain(`::add-mask::${tokens[0]}\n`);
    expect(comment!.body + summary + output).not.toContain("tgt_");
  });

  test("replaces its comment with the next commit, and fails for breaking changes if that is its input", async () => {
    await writeProject({ "/orders": route(), "/old": route() });
    expect((await run(pull("synchronize"))).status).toBe(0);
    expect(own()).toHaveLength(1);
    expect(own()[0]!.body).toContain("Routes and policies are those of production.");
    await writeProject({ "/orders": route() });
    const failed = await run(pull("synchronize"), { INPUT_FAIL_ON_BREAKING_CHANGES: "true" });
    expect(failed.status).toBe(1);
    expect(failed.log).toContain("::error::There are breaking changes.");
    expect(failed.output).toContain("url=http");
  });

  test("comments with the errors of a build that fails, and fails", async () => {
    await writeProject({ "/orders": route("none") });
    const { status, log } = await run(pull("synchronize"));
    expect(status).toBe(1);
    expect(log).toContain("::error::The branch feature was not deployed.");
    expect(own()).toHaveLength(1);
    expect(own()[0]!.body).toMatch(/was not deployed[\s\S]*`openapi\.json:\d+:\d+` `/);
    await writeProject({ "/orders": route() });
  });

  test("cannot deploy production from a pull request", async () => {
    const versions = async () => {
      const main = (await bench.client.deployments.list("shop")).find(({ branchName }) => branchName === "main")!;
      return (await bench.client.deployments.versions(main.name).all()).length;
    };
    const before = await versions();
    expect((await run(pull("opened", "main"))).status).toBe(1);
    expect(await versions()).toBe(before);
  });

  test("deletes the preview when the pull request is closed, and with the branch", async () => {
    expect(await branches()).toContain("feature");
    const { status, output } = await run(pull("closed"));
    expect(status).toBe(0);
    expect(output).toContain("url=\n");
    expect(await branches()).toEqual(["main"]);
    expect(own()).toHaveLength(1);
    expect(own()[0]!.body).toContain("the preview of `feature` of `shop` was deleted");
    // Once more, as the branch is deleted after it was merged.
    github.claims = { sub: `repo:${repository}:ref:refs/heads/main` };
    const deleted = await run({ ref: "feature", ref_type: "branch" }, { GITHUB_EVENT_NAME: "delete" });
    expect(deleted).toMatchObject({ status: 0, log: expect.stringContaining("has no preview") });
    const tag = await run({ ref: "feature", ref_type: "tag" }, { GITHUB_EVENT_NAME: "delete" });
    expect(tag.status).toBe(0);
    expect(github.requests).toEqual([]);
  });

  test("deploys a pushed branch, without a comment", async () => {
    github.claims = { sub: `repo:${repository}:ref:refs/heads/staging` };
    const push = { GITHUB_EVENT_NAME: "push", GITHUB_REF_TYPE: "branch", GITHUB_REF_NAME: "staging" };
    expect((await run({ ref: "refs/heads/staging" }, push)).status).toBe(0);
    expect(await branches()).toContain("staging");
    expect(github.requests).toEqual(["GET /token"]);
  });

  test("does nothing for a fork, and explains what is missing", async () => {
    const fork = await run(pull("opened", "feature", "mallory/shop"));
    expect(fork).toMatchObject({ status: 0, log: expect.stringContaining("::notice::A pull request of a fork") });
    expect(github.requests).toEqual([]);
    const unpermitted = await run(pull("opened"), { ACTIONS_ID_TOKEN_REQUEST_URL: "" });
    expect(unpermitted).toMatchObject({ status: 1, log: expect.stringContaining("id-token: write") });
    github.claims = { sub: "repo:mallory/shop:pull_request" };
    const event = {
      action: "opened",
      pull_request: { number: 7, head: { ref: "x", repo: { full_name: repository } } },
    };
    const untrusted = await run(event);
    expect(untrusted.status).toBe(1);
    expect(untrusted.log).toContain('No trusted issuer accepts the subject "repo:mallory/shop:pull_request"');
    expect(await branches()).not.toContain("x");
    const silent = await run(pull("closed", "staging"), { INPUT_GITHUB_TOKEN: "expired" });
    expect(silent).toMatchObject({ status: 0, log: expect.stringContaining("::warning::The comment was not written") });
  });
});

test("the action runs the archive of a release, and only with its checksum", async () => {
  const packed = join(bench.cli.folder, "release.tar.gz");
  await Bun.$`tar -czf ${packed} -C ${programs} tollgate`.quiet();
  const bytes = await Bun.file(packed).bytes();
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const releases = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => (url.endsWith("/release.tar.gz") ? new Response(bytes) : new Response("", { status: 404 })),
  });
  const archive = `${releases.url}release.tar.gz`;
  const withArchive = (more: Record<string, string>) =>
    run(pull("opened", "from-archive"), { PATH: process.env.PATH!, INPUT_ARCHIVE: archive, ...more });
  try {
    for (const [more, message] of [
      [{ INPUT_SHA256: "0".repeat(64) }, `::error::The archive has the SHA-256 ${sha256}, not 0000`],
      [{ INPUT_SHA256: "" }, "::error::The input sha256 must be the SHA-256 of the archive."],
      [{ INPUT_SHA256: sha256, INPUT_ARCHIVE: `${archive}x` }, "cannot be downloaded from"],
    ] as const) {
      expect(await withArchive(more)).toMatchObject({ status: 1, log: expect.stringContaining(message) });
      expect(github.requests).toEqual([]);
    }
    expect(await branches()).not.toContain("from-archive");
    const { status, log } = await withArchive({ INPUT_SHA256: sha256.toUpperCase() });
    expect({ status, log }).toEqual({ status: 0, log });
    expect(await branches()).toContain("from-archive");
  } finally {
    await releases.stop(true);
  }
}, 120_000);

test("the action passes values to its script as environment variables only", async () => {
  const action = parse(await readFile(join(folder, "action.yml"), "utf8"));
  const [step] = action.runs.steps;
  expect(step.run).not.toContain("${{");
  const used = JSON.stringify(step.env);
  for (const name of Object.keys(action.inputs)) expect(used).toContain(`inputs.${name} `);
  const script = await readFile(join(folder, "deploy.mjs"), "utf8");
  for (const name of Object.keys(step.env)) expect(script).toContain(name.replace(/^INPUT_/, ""));
  expect(action.outputs.url.value).toContain(`steps.${step.id}.outputs.url`);
});
