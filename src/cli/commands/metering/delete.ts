import { argument, flag } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a metering bucket",
  arguments: { id: argument("its id or its name") },
  options: { force: flag("also delete its plans, subscriptions and usage") },
  examples: [
    {
      command: "tollgate metering delete mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "Rejected if it has subscriptions.",
    },
  ],
  what: ({ id, force }) => `the metering bucket ${id}${force ? ", with its plans, subscriptions and usage" : ""}`,
  delete: (client, { id, force }) => client.metering.delete(id, { force }),
});
