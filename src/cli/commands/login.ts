import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../config/config.ts";
import { urlHost } from "../../lib/network/hosts.ts";
import { type Context, defineCommand } from "../arguments/command.ts";
import { flag, named, option, optionalArgument, optionOr } from "../arguments/values.ts";
import { checkedAddress, clientFor, localAddress } from "../connection/connect.ts";
import { Profiles } from "../connection/profiles.ts";
import { UsageError } from "../process/usage-error.ts";
import { ask, askSecret, secretFromStdin } from "../terminal/prompts.ts";

export const command = defineCommand({
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
  examples: [
    { command: "tollgate login", text: "Prompts for the address and the token." },
    { command: "tollgate login --local", text: "The server whose data directory is ./data." },
    {
      command: "pass tollgate/staging | tollgate login https://staging.example.com --profile staging --token-stdin",
      text: "With a token from a password store, as another profile.",
    },
  ],
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
    terminal.note(terminal.noteStyle("dim", `Saved as profile ${profile} in ${profiles.file}`));
    return undefined;
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
