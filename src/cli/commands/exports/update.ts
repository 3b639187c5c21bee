import { argument, flag } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { credentialOption, s3Credential } from "../../options/export-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Enable or disable an export, or change its credential",
  details: "A failing export is tried again at once. With --credential, the credential is that of the environment.",
  arguments: { name: argument("the export's name") },
  options: {
    enable: flag("write closed hours"),
    disable: flag("write nothing until it is enabled"),
    ...credentialOption,
  },
  examples: [
    { command: "tollgate exports update warehouse --disable", text: "What it misses is written later." },
    {
      command: "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… tollgate exports update warehouse --credential",
      text: "With a new key.",
    },
  ],
  call: (client, { name, enable, disable, credential }, _terminal, { environment }) => {
    if (enable && disable) throw new UsageError("--enable cannot be combined with --disable.");
    if (!enable && !disable && !credential) throw new UsageError("There is nothing to change.");
    return client.exports.update(name, {
      ...((enable || disable) && { isEnabled: enable }),
      ...(credential && { credential: s3Credential(environment) }),
    });
  },
  show: showFields,
});
