import { argument, listOption, named } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Create an OAuth client: a program that every customer may authorize",
  details: "Redirect addresses use https, or http with 127.0.0.1, [::1] or localhost, whose port may then be any.",
  arguments: { name: argument("the name of the program, which customers see") },
  options: {
    ...bucketOption,
    redirectUri: listOption("where the browser returns to; all of them", named("URL")),
  },
  examples: [
    {
      command: 'tollgate clients create "Weather CLI" --redirect-uri http://127.0.0.1/callback',
      text: "A command line, which listens on any port of this machine.",
    },
  ],
  call: (client, { bucket, name, redirectUri: redirectUris }) => {
    if (redirectUris.length === 0)
      throw new UsageError("An OAuth client needs a redirect address.", "Add --redirect-uri URL.");
    return client.portal(bucket).createOAuthClient({ name, redirectUris });
  },
  show: showFields,
});
