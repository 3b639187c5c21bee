import { deleteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Delete the portal of a key bucket",
  arguments: {},
  options: { ...bucketOption },
  examples: [{ command: "tollgate portal delete --bucket payments", text: "Consumers and keys stay as they are." }],
  what: ({ bucket }) => `the portal of the key bucket ${bucket}; everybody is signed out`,
  delete: (client, { bucket }) => client.portal(bucket).delete(),
});
