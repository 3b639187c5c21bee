import { Tollgate } from "../../client/index.ts";
import type { Environment } from "../../config/config.ts";
import { fetchErrorText } from "../../lib/network/fetch-error.ts";
import { defineCommand } from "../arguments/command.ts";
import {
  argument,
  flag,
  named,
  oneOf,
  option,
  optionalArgument,
  optionOr,
  requiredOption,
  time,
} from "../arguments/values.ts";
import { checkedAddress } from "../connection/connect.ts";
import { group, resource } from "../connection/resource.ts";
import { showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { version } from "../process/version.ts";
import { secretFromStdin } from "../terminal/prompts.ts";

/** The variable in which a job has the token of its CI service, as GitLab calls it in `id_tokens`. */
const idTokenVariable = "TOLLGATE_ID_TOKEN";

const token = resource({
  one: "a token",
  id: { id: argument("the token's id") },
  sample: "tokn_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.tokens,
});

export const tokens = group({
  name: "tokens",
  summary: "Tokens: credentials of the management API",
  commands: {
    list: token.list({
      summary: "List tokens, without their values",
      columns: ["id", "name", "role", "createdOn", "lastUsedOn", "expiresOn"],
      examples: "With the role and last use of each.",
    }),
    create: token.command({
      summary: "Create a token; its value is shown only once",
      details:
        "Roles: admin (everything), editor (everything except tokens and members), reader (read only, keys masked), billing (like " +
        "reader, and may change plans, subscriptions, customers, credits, invoices and the billing profile), verifier (only verify keys and report usage).",
      options: {
        role: requiredOption("the role", oneOf("admin", "editor", "reader", "billing", "verifier")),
        name: option("a name, such as its purpose"),
        expiresOn: option("when it expires, such as 90d", time),
        value: flag("print only the value, for a script"),
      },
      examples: {
        'tollgate tokens create --role verifier --name "my gateway"': "For your own gateway.",
        "tollgate tokens create --role reader --expires-on 30d": "Expires in a month.",
        "TOLLGATE_TOKEN=$(tollgate tokens create --role verifier --value) node app.mjs":
          "For a program, without a copy in the history of the shell.",
      },
      call: (api, { role, name, expiresOn }) => api.create({ role, name, expiresOn }),
      show(token, terminal, { value }) {
        if (value) return terminal.print(token.token!);
        showResource(terminal, token);
        terminal.note("Store the value now: it is not shown again.", "yellow");
      },
    }),
    show: token.show({ summary: "Show a token, without its value", examples: "Including its role and last use." }),
    delete: token.delete({
      summary: "Delete a token: it stops working immediately",
      effect: "which stops working immediately",
      examples: "Requests with it are rejected from now on.",
    }),
    exchange: defineCommand({
      summary: "Exchange the token of a CI service for one that is valid for 15 minutes",
      details:
        `For jobs without a stored secret: prints the token. The service's token is ${idTokenVariable}, or is requested from GitHub\n` +
        "Actions if the job has the permission `id-token: write`. An admin trusts the service: tollgate issuers create",
      arguments: { address: optionalArgument("the address of the server; by default TOLLGATE_URL") },
      options: {
        account: optionOr("the account", "default", named("NAME")),
        audience: option("the audience of the service's token; by default SERVER/v1/accounts/ACCOUNT", named("TEXT")),
        tokenStdin: flag("read the service's token from standard input"),
        json: flag("print the API's response as JSON"),
      },
      examples: {
        "export TOLLGATE_TOKEN=$(tollgate tokens exchange https://tollgate.example.com)":
          "In a job: the commands after it need no login.",
      },
      async run({ address, account, audience, tokenStdin, json }, { environment, terminal }) {
        const given = address ?? environment.TOLLGATE_URL;
        if (!given) throw new UsageError("<address> is missing, and TOLLGATE_URL is not set.");
        const url = checkedAddress(given, address === undefined ? "TOLLGATE_URL" : "The address");
        const ownAudience = `${url}/v1/accounts/${account}`;
        const token = tokenStdin
          ? await secretFromStdin(terminal, "Token")
          : await ciToken(environment, audience ?? ownAudience);
        const client = new Tollgate({ url, userAgent: `tollgate-cli/${version}` });
        const exchanged = await client.exchangeToken(token);
        if (json) terminal.printJson(exchanged);
        else terminal.print(exchanged.access_token);
      },
    }),
  },
});

/**
 * The token of the CI service that runs this job: from the environment, or requested from GitHub Actions. Throws a
 * UsageError if there is none.
 */
async function ciToken(environment: Environment, audience: string): Promise<string> {
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
