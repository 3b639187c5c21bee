import { flag } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Sign access tokens of OAuth with a new key",
  arguments: {},
  options: {
    ...bucketOption,
    revokeTokens: flag("reject the access tokens that earlier keys signed; for a key that was stolen"),
  },
  examples: [
    { command: "tollgate portal rotate-oauth-key", text: "Tokens of the earlier key stay valid until they expire." },
  ],
  call: (client, { bucket, revokeTokens: revokesTokens }) => client.portal(bucket).rotateOAuthKey({ revokesTokens }),
  show: ({ keys }, terminal) => terminal.print(keys.map(({ kid }) => kid).join("\n")),
});
