import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../config/config.ts";
import { urlHost } from "../../lib/network/hosts.ts";
import { type Context, defineCommand } from "../arguments/command.ts";
import { flag, named, option, optionalArgument, optionOr } from "../arguments/values.ts";
import { checkedAddress, clientFor, findServer, localAddress } from "../connection/connect.ts";
import { Profiles } from "../connection/profiles.ts";
import { remoteOptions } from "../connection/remote.ts";
import { showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { ask, askSecret, secretFromStdin } from "../terminal/prompts.ts";

export const login = defineCommand({
  summary: "Save the address of a server and a token for it",
  details:
    "Prompts for missing values, checks them with the server, and saves them in ~/.config/tollgate/profiles.json, which only you\ncan read. There is no option for the token itself: it would stay in the shell's history.",
  arguments: { address: optionalArgument("the address of the server, such as https://tollgate.example.com") },
  options: {
    profile: optionOr("the name of the profile", "default", named("NAME")),
    tokenStdin: flag("read the token from standard input"),
    local: flag("log in to a server on this machine with the token in its data directory"),
    dataDir: option(
      "with --local: the data directory; by default TOLLGATE_DATA_DIR or ./data",
      named("FOLDER", "folder"),
    ),
  },
  examples: {
    "tollgate login": "Prompts for the address and the token.",
    "tollgate login --local": "The server whose data directory is ./data.",
    "pass tollgate/staging | tollgate login https://staging.example.com --profile staging --token-stdin":
      "With a token from a password store, as another profile.",
  },
  async run({ address, profile, tokenStdin, local, dataDir }, context) {
    const { terminal, environment } = context;
    const directory = dataDir ?? (environment.TOLLGATE_DATA_DIR || "data");
    const given = address ?? (local ? await localServer(directory, environment) : await askAddress(context));
    const url = checkedAddress(given, "The address");
    const token = local ? await localToken(directory) : await tokenFor(tokenStdin, context);
    const { role, account } = await clientFor({ url, token }).whoAmI();
    const profiles = new Profiles(environment);
    await profiles.keep(profile, { url, token });
    terminal.note(`Logged in to ${url}${account === undefined ? "" : `, account ${account}`}, as ${role}.`);
    terminal.note(`Saved as profile ${profile} in ${profiles.file}`, "dim");
  },
});

async function askAddress({ terminal }: Context): Promise<string> {
  if (!terminal.isInteractive) throw new UsageError("<address> is missing.", "tollgate login http://127.0.0.1:8787");
  return ask("Address of the server", localAddress);
}

/**
 * The address of a server that uses the data directory, read from a file there. The file does not exist while the
 * server starts.
 */
async function localServer(dataDirectory: string, environment: Environment): Promise<string> {
  const written = await readFile(join(dataDirectory, "server.url"), "utf8").catch(() => "");
  return written.trim() || addressOfSettings(environment);
}

/** The address of `tollgate serve` with the current environment. */
function addressOfSettings({ TOLLGATE_HOST: host, TOLLGATE_PORT: port }: Environment): string {
  const isEverywhere = !host || host === "0.0.0.0" || host === "::";
  return `http://${isEverywhere ? "127.0.0.1" : urlHost(host)}:${port || "8787"}`;
}

async function tokenFor(fromStdin: boolean, { terminal }: Context): Promise<string> {
  if (fromStdin) return secretFromStdin(terminal, "Token");
  if (!terminal.isInteractive)
    throw new UsageError("There is no token.", "Pass it on standard input: … | tollgate login ADDRESS --token-stdin");
  const token = await askSecret("Token");
  if (token === "") throw new UsageError("There is no token.");
  return token;
}

async function localToken(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, "admin-token");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UsageError(
      `There is no admin token to read in ${file} (${(error as NodeJS.ErrnoException).code}).`,
      "Start the server first: tollgate serve. Or name its data directory: tollgate login --local --data-dir FOLDER",
    );
  }
}

export const logout = defineCommand({
  summary: "Remove the saved address and token of a server",
  details: "The token itself keeps working until it is deleted: tollgate tokens delete.",
  options: { profile: option("the profile; by default the one in use", named("NAME")) },
  examples: {
    "tollgate logout": "The profile in use.",
    "tollgate logout --profile staging": "That one.",
  },
  async run({ profile }, { terminal, environment }) {
    const kept = new Profiles(environment);
    const { current, profiles } = await kept.read();
    const name = profile ?? current;
    if (name === undefined || !profiles[name])
      throw new UsageError(name === undefined ? "You are not logged in." : `There is no profile "${name}".`);
    await kept.remove(name);
    const { current: next } = await kept.read();
    terminal.note(`Removed profile ${name}.${next === undefined ? "" : ` The current profile is now ${next}.`}`);
  },
});

export const whoami = defineCommand({
  summary: "Show the account and the role of your token",
  options: remoteOptions,
  examples: {
    "tollgate whoami": "The server, the account and the role of your token.",
    "tollgate whoami --json": "For programs.",
  },
  async run({ json, ...target }, context) {
    const { source, ...server } = await findServer(target, context);
    const identity = await clientFor(server, { account: target.account }).whoAmI();
    if (json) context.terminal.printJson(identity);
    else showResource(context.terminal, { ...identity, server: server.url, from: source });
  },
});
