import { Tollgate } from "../../../client/index.ts";
import { defineCommand } from "../../arguments/command.ts";
import { flag, named, option, optionalArgument, optionOr } from "../../arguments/values.ts";
import { ciToken, idTokenVariable } from "../../connection/ci-token.ts";
import { checkedAddress } from "../../connection/connect.ts";
import { UsageError } from "../../process/usage-error.ts";
import { version } from "../../process/version.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = defineCommand({
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
  examples: [
    {
      command: "export TOLLGATE_TOKEN=$(tollgate tokens exchange https://tollgate.example.com)",
      text: "In a job: the commands after it need no login.",
    },
  ],
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
    return undefined;
  },
});
