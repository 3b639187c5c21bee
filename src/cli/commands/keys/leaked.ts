import { named, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = remoteCommand({
  summary: "Report keys that were found in public",
  details: `Reads the values from standard input, one per line, or asks for one. The keys among them are marked as leaked, and disabled if the
bucket is set to do so. Nothing tells which values are keys.`,
  arguments: {},
  options: {
    ...bucketOption,
    source: requiredOption("who found them, such as github", named("TEXT")),
    url: option("where they were found", named("URL")),
  },
  examples: [
    {
      command: "cat found.txt | tollgate keys leaked --source github --url https://github.com/acme/site",
      text: "One value per line.",
    },
    { command: "pass acme/key | tollgate keys leaked --source support", text: "One that a customer published." },
  ],
  async call(client, { bucket, source, url }, terminal) {
    const values = (await secretFromStdin(terminal, "Key")).split("\n").map((line) => line.trim());
    const keys = values.filter((line) => line !== "");
    return client.bucketKeys(bucket).reportLeaked({ keys, source, ...(url !== undefined && { url }) });
  },
  show: ({ jobId }, terminal) => terminal.note(`Reported. It is processed as ${jobId}.`),
});
