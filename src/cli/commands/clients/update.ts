import { argument, listOption, named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Change the name or the redirect addresses of an OAuth client",
  arguments: { id: argument("the client's id") },
  options: {
    ...bucketOption,
    name: option("the name of the program, which customers see"),
    redirectUri: listOption("where the browser returns to; all of them", named("URL")),
  },
  examples: [
    {
      command: "tollgate clients update oac_0QGzNqW81Kx8VhTb3mPcRdZu --redirect-uri https://app.example.com/callback",
      text: "Replaces the redirect addresses.",
    },
  ],
  call: (client, { bucket, id, name, redirectUri }) =>
    client.portal(bucket).updateOAuthClient(id, {
      ...(name === undefined ? {} : { name }),
      ...(redirectUri.length === 0 ? {} : { redirectUris: redirectUri }),
    }),
  show: showFields,
});
