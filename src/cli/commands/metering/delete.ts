import { deleteCommand } from "../../support/remote.ts";
import { argument, flag } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete a metering bucket",
  arguments: { id: argument("its id or its name") },
  options: { force: flag("with its plans, subscriptions and what was counted") },
  examples: [
    {
      command: "tollgate metering delete mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "Rejected while it holds subscriptions.",
    },
  ],
  what: ({ id, force }) =>
    `the metering bucket ${id}${force ? ", with its plans, subscriptions and what was counted" : ""}`,
  delete: (client, { id, force }) => client.metering.delete(id, { force }),
});
