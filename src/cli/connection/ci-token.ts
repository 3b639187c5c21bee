import type { Environment } from "../../config/config.ts";
import { fetchErrorText } from "../../lib/network/fetch-error.ts";
import { UsageError } from "../process/usage-error.ts";

/** The variable in which a job has the token of its CI service, as GitLab calls it in `id_tokens`. */
export const idTokenVariable = "TOLLGATE_ID_TOKEN";

/**
 * The token of the CI service that runs this job: from the environment, or requested from GitHub Actions. Throws a
 * UsageError if there is none.
 */
export async function ciToken(environment: Environment, audience: string): Promise<string> {
  const given = environment[idTokenVariable];
  if (given) return given;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: credential } = environment;
  if (address && credential) return githubToken(address, credential, audience);
  if (environment.GITHUB_ACTIONS)
    throw new UsageError(
      "The job is not permitted to request a token from GitHub.",
      "Give it the permission `id-token: write`.",
    );
  throw new UsageError(
    `There is no token to exchange: ${idTokenVariable} is not set.`,
    "Set it to the token of your CI service, or pass the token on standard input: --token-stdin",
  );
}

async function githubToken(address: string, credential: string, audience: string): Promise<string> {
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const headers = { authorization: `bearer ${credential}`, accept: "application/json" };
  const response = await fetch(url, { headers }).catch((error: unknown) => {
    throw new UsageError(`GitHub returned no token: ${fetchErrorText(error)}.`);
  });
  const { value } = ((await response.json().catch(() => undefined)) ?? {}) as { value?: unknown };
  if (response.ok && typeof value === "string") return value;
  throw new UsageError(`GitHub returned no token, but status ${response.status}.`);
}
