/**
 * The GitHub Action: deploys the branch of the event, or deletes its preview, and comments on the pull request. Needs Node 20 and
 * nothing else: commands of the CLI do the work.
 */
import { spawn } from "node:child_process";
import { appendFile, readFile } from "node:fs/promises";
import { deletedComment, deployedComment, failedComment, markerOf } from "./comment.mjs";
import { downloadedProgram } from "./download.mjs";
import { writeComment } from "./github.mjs";

const environment = process.env;
const input = (name) => environment[`INPUT_${name}`] ?? "";
const project = input("PROJECT");
const marker = markerOf(project);

/** The CLI: the one that an earlier step has installed, or that of the archive. */
let program = "tollgate";

const event = JSON.parse(await readFile(environment.GITHUB_EVENT_PATH, "utf8"));
process.exitCode = await main();

async function main() {
  const { pull_request: pull } = event;
  if (!project || !environment.TOLLGATE_URL) return fail("The inputs url and project are required.");
  if (pull && pull.head?.repo?.full_name !== environment.GITHUB_REPOSITORY) {
    notice("notice", "A pull request of a fork gets no token, so it has no preview.");
    return 0;
  }
  const isDeleted = event.action === "closed" || environment.GITHUB_EVENT_NAME === "delete";
  if (environment.GITHUB_EVENT_NAME === "delete" && event.ref_type !== "branch") return 0;
  const branch = branchOf();
  if (!branch) return fail(`The event ${environment.GITHUB_EVENT_NAME} names no branch.`);
  if (input("ARCHIVE")) {
    try {
      program = await downloadedProgram(input("ARCHIVE"), input("SHA256"));
    } catch (error) {
      return fail(error.message);
    }
  }
  const token = await exchangedToken();
  if (token === undefined) return 1;
  return isDeleted ? remove(branch, token) : deploy(branch, token);
}

/** The branch of the pull request, the deleted branch, or the pushed one. */
function branchOf() {
  if (event.pull_request) return event.pull_request.head.ref;
  if (environment.GITHUB_EVENT_NAME === "delete") return event.ref;
  return environment.GITHUB_REF_TYPE === "branch" ? environment.GITHUB_REF_NAME : undefined;
}

async function exchangedToken() {
  const audience = input("AUDIENCE") ? ["--audience", input("AUDIENCE")] : [];
  const words = ["tokens", "exchange", "--account", input("ACCOUNT") || "default", ...audience];
  const { code, stdout } = await tollgate(words, {});
  const token = stdout.trim();
  if (code !== 0 || token === "") return undefined;
  // GitHub replaces it in the log.
  process.stdout.write(`::add-mask::${token}\n`);
  return token;
}

async function deploy(branch, token) {
  const folder = input("FOLDER") || ".";
  const words = ["deploy", folder, "--project", project, "--branch", branch, "--json"];
  const { code, stdout } = await tollgate(words, { TOLLGATE_TOKEN: token });
  if (code !== 0) {
    const { errors = [] } = parsed(stdout) ?? {};
    await report(failedComment({ project, branch, errors, marker }));
    return fail(`The branch ${branch} was not deployed.`);
  }
  const deployment = JSON.parse(stdout);
  await output({ url: deployment.url, deployment: deployment.name });
  const compared = await tollgate(["deployments", "changes", deployment.name, "--json"], { TOLLGATE_TOKEN: token });
  const changes = compared.code === 0 ? parsed(compared.stdout) : undefined;
  await report(deployedComment({ project, branch, deployment, changes, marker }));
  const isBroken = (changes?.breaking.length ?? 0) > 0;
  if (isBroken && input("FAIL_ON_BREAKING_CHANGES") === "true") return fail("There are breaking changes.");
  return 0;
}

async function remove(branch, token) {
  const words = ["deployments", "list", project, "--branch", branch, "--json"];
  const { code, stdout } = await tollgate(words, { TOLLGATE_TOKEN: token });
  if (code !== 0) return fail("The deployments could not be listed.");
  const [deployment] = JSON.parse(stdout).data;
  if (!deployment) {
    notice("notice", `The branch ${branch} has no preview.`);
    return 0;
  }
  const deleted = await tollgate(["deployments", "delete", deployment.name, "--yes"], { TOLLGATE_TOKEN: token });
  if (deleted.code !== 0) return fail(`The preview ${deployment.name} was not deleted.`);
  await output({ url: "", deployment: deployment.name });
  await report(deletedComment({ project, branch, marker }), { onlyIfThere: true });
  return 0;
}

/** Writes the comment and the summary of the job. A comment that cannot be written does not fail the deployment. */
async function report(body, options = {}) {
  if (environment.GITHUB_STEP_SUMMARY) await appendFile(environment.GITHUB_STEP_SUMMARY, `${body}\n`);
  const number = event.pull_request?.number;
  if (number === undefined || !input("GITHUB_TOKEN")) return;
  try {
    await writeComment({
      api: environment.GITHUB_API_URL ?? "https://api.github.com",
      repository: environment.GITHUB_REPOSITORY,
      token: input("GITHUB_TOKEN"),
      number,
      marker,
      body,
      ...options,
    });
  } catch (error) {
    notice("warning", `The comment was not written: ${error.message}`);
  }
}

/** Runs the CLI without a shell. Its notes and errors go to the log of the job. */
function tollgate(words, more) {
  const child = spawn(program, words, {
    // The credential for the comment is none of the CLI's business.
    env: { ...environment, INPUT_GITHUB_TOKEN: "", ...more },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout }));
  });
}

async function output(values) {
  if (!environment.GITHUB_OUTPUT) return;
  const lines = Object.entries(values).map(([name, value]) => `${name}=${String(value).replaceAll(/[\r\n]/g, "")}\n`);
  await appendFile(environment.GITHUB_OUTPUT, lines.join(""));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(message) {
  notice("error", message);
  return 1;
}

/** A workflow command: percent signs and line breaks are encoded. */
function notice(level, message) {
  const text = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  process.stdout.write(`::${level}::${text}\n`);
}
