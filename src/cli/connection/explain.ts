import { type List, TollgateError } from "../../client/index.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import type { Context } from "../arguments/command.ts";
import { printable } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";
import { Interrupted } from "../terminal/prompts.ts";
import { connect, type Target } from "./connect.ts";

/** Prints what failed and what to do next. Returns the exit code. */
export async function explain(
  error: unknown,
  context: Context,
  commandName: string | undefined,
  values: Record<string, unknown> = {},
): Promise<number> {
  const { terminal, environment, server } = context;
  const complain = (message: string) => terminal.note(`${terminal.noteStyle("red", "Error:")} ${printable(message)}`);
  const advise = (advice: string | undefined) =>
    advice && terminal.note(`  ${terminal.noteStyle("cyan", "→")} ${advice}`);

  if (error instanceof Interrupted) {
    // Ends the line of an open prompt.
    terminal.note("");
    return exitCodes.interrupted;
  }
  if (error instanceof UsageError) {
    complain(error.message);
    advise(error.hint ?? (commandName === undefined ? undefined : `tollgate ${commandName} --help`));
    return exitCodes.usage;
  }
  if (error instanceof TollgateError) {
    const missing = error.status === 404 ? await nameMissing(error, values, context) : undefined;
    complain(missing ?? (error.status === 0 ? error.detail : `${headlineOf(error)} (${error.code})`));
    for (const { pointer, detail } of error.errors)
      terminal.note(`  ${terminal.noteStyle("bold", fieldOf(pointer))} ${printable(detail)}`);
    advise(adviceFor(error, commandName, environment.TOLLGATE_TOKEN !== undefined));
    if (server && error.status > 0 && error.code !== "unexpected_answer")
      terminal.note(`  ${server}/docs/guides/errors#${error.code.replaceAll("_", "-")}`, "dim");
    if (error.requestId) terminal.note(`  request id ${printable(error.requestId)}`, "dim");
    return isNoConnection(error) ? exitCodes.noConnection : exitCodes.failed;
  }
  complain(error instanceof Error ? error.message : String(error));
  return exitCodes.failed;
}

/** The server's texts address API clients; for these two codes the CLI has a text for its users. */
function headlineOf({ status, code, detail, errors }: TollgateError): string {
  if (code === "unauthenticated") return "Unknown token.";
  return status === 400 && errors.length > 0 ? "Invalid request." : detail;
}

function isNoConnection({ code }: TollgateError): boolean {
  return code === "network" || code === "timeout" || code === "unexpected_answer";
}

/** `/tags/plan` → `tags.plan`, `?limit` → `limit`, and `/configuration/plans` → `plans`: a file is the value of this field. */
function fieldOf(pointer: string): string {
  return (
    pointer
      .replace(/^[/?](?:configuration\/)?/, "")
      .replaceAll("/", ".")
      .replaceAll("~1", "/")
      .replaceAll("~0", "~") || "the body"
  );
}

const adviceByCode: Record<string, string> = {
  network: "Is the server running? `tollgate serve` starts one; `tollgate login` sets another address.",
  timeout: "The server is busy or far away; try again.",
  unexpected_answer: "Is this the address of a Tollgate server? `tollgate login` sets another one.",
  account_required: "Name the account to act in: --account NAME",
  forbidden: "`tollgate whoami` shows your role. An admin can create a token with another role: tollgate tokens create",
  bucket_not_empty: "--force deletes its contents too.",
  metering_bucket_not_empty: "--force deletes its contents too.",
  plan_has_subscriptions: "Which: tollgate subscriptions list --plan ID",
  customer_exists: "To hand them over to the new consumer: --adopt-customer",
  consumer_exists: "To change it: tollgate consumers update",
  bucket_exists: "To change it: tollgate buckets update",
  metering_bucket_exists: "To change it: tollgate metering update",
  plan_exists: "To change it: tollgate plans update",
  subscription_exists: "To change it: tollgate subscriptions update. For another: --external-id ID",
  keys_not_retrievable: "The values were shown once, when the keys were created.",
  key_value_lost: "The key keeps working. Roll it to get a value that can be shown.",
  no_earlier_version: "All versions: tollgate deployments versions",
  no_source: "Upload it: tollgate deploy",
  storage_unavailable: "Nothing was changed. Try again shortly.",
  internal_error: "Give the request id to the operator of the server.",
};

/** These operations reject every token of an account, including an admin's. */
const operatorCommand = /^(?:status$|accounts )/;
const operatorAdvice =
  "The server's TOLLGATE_OPERATOR_TOKEN is the token for this. Log in with it: tollgate login --profile operator";

const untrusted =
  "The authority of the server's certificate is not trusted here. If it is your own, name its certificate: NODE_EXTRA_CA_CERTS=FILE tollgate …";
const wrongTime = "The server's certificate has expired or is not valid yet, or the clock of this machine is wrong.";

/** Explains an error of `fetch` by its code. */
const certificateAdvice: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: wrongTime,
  CERT_NOT_YET_VALID: wrongTime,
  ERR_TLS_CERT_ALTNAME_INVALID: "The server's certificate is for other names: use one of them in the address.",
};

function adviceFor(
  { status, code, detail, retryAfterSeconds, cause }: TollgateError,
  commandName: string | undefined,
  hasTokenVariable: boolean,
): string | undefined {
  if (status === 401)
    return hasTokenVariable
      ? "TOLLGATE_TOKEN is not a token of this server, or has expired."
      : "Log in: tollgate login";
  if (code === "forbidden" && operatorCommand.test(commandName ?? "")) return operatorAdvice;
  const reason = (cause as { code?: string } | undefined)?.code ?? "";
  if (code === "network" && Object.hasOwn(certificateAdvice, reason)) return certificateAdvice[reason];
  if (adviceByCode[code]) return adviceByCode[code];
  if (status === 429) return `Try again in ${retryAfterSeconds ?? "some"} seconds.`;
  if (status === 404) return listing(detail, commandName);
  return status === 400 && commandName !== undefined ? `tollgate ${commandName} --help` : undefined;
}

/** Names what was not found and the closest name that exists. Undefined if that is not known. */
async function nameMissing(
  { detail }: TollgateError,
  values: Record<string, unknown>,
  context: Context,
): Promise<string | undefined> {
  const { name, consumer = name, bucket, deployment = name } = values as Partial<Record<string, string>>;
  try {
    const client = await connect(values as Target, context);
    const bucketNames = await namesIn(client.buckets.list());
    const isMissing = bucket !== undefined && !bucketNames.includes(bucket);
    if (detail === "No such key bucket." || (detail === "No such consumer." && isMissing))
      return missing("key bucket", bucket ?? name, bucketNames);
    if (detail === "No such consumer.") {
      const names = await namesIn(client.consumers(bucket!).list());
      return missing("consumer", consumer, names, ` in the key bucket "${bucket}"`);
    }
    if (detail !== "No such deployment.") return undefined;
    return missing("deployment", deployment, await namesIn(client.deployments.listAll()));
  } catch {
    return undefined;
  }
}

async function namesIn(list: Pick<List<{ name: string }>, "page">): Promise<string[]> {
  return (await list.page()).data.map(({ name }) => name);
}

function missing(noun: string, name: string | undefined, known: string[], where = ""): string | undefined {
  if (name === undefined || known.includes(name)) return undefined;
  return `There is no ${noun} "${name}"${where}${didYouMean(name, known) || "."}`;
}

/** By noun, for those that commands of other groups name too. */
const listedBy: Record<string, string> = {
  consumer: "consumers list",
  client: "clients list",
  "credit pack": "credits list",
  customer: "customers list",
  deployment: "deployments list",
  "key bucket": "buckets list",
  "metering bucket": "metering list",
  plan: "plans list",
  purchase: "credits purchases CUSTOMER",
  subscription: "subscriptions list",
  version: "deployments versions NAME",
};

/** The command that lists the kind of resource that was not found. Jobs and the billing profile have none. */
function listing(detail: string, commandName: string | undefined): string | undefined {
  const [, missing = ""] = /^No such ([a-z ]+)\./.exec(detail) ?? [];
  if (Object.hasOwn(listedBy, missing)) return `List them: tollgate ${listedBy[missing]}`;
  const group = commandName?.split(" ")[0];
  if (missing === "account" && group !== "accounts") return "The one of your token: tollgate whoami";
  if (missing === "portal") return "Create it: tollgate portal set. For that of another key bucket: --bucket NAME";
  if (group === "billing") return "Set it: tollgate billing set";
  if (group === "jobs") return "Jobs are kept for 30 days.";
  return group !== undefined && commandName?.includes(" ") ? `List them: tollgate ${group} list` : undefined;
}
