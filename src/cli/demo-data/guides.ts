/** The guides of the demo's API, which its portal shows. */
export const guides = {
  "docs/index.md": `---
title: Ship your first parcel
description: From a key to a booked parcel in five minutes.
order: 1
---

Waybill compares carriers, books parcels, prints labels and tracks them. Three requests are enough.

## Get a key

Create one under [Keys](/keys). Send it as a bearer token with every request, and only from your server.

## Compare the rates

\`\`\`js
const rates = await fetch("https://api.waybill.example/rates?from=CH-8001&to=DE-10115&grams=1200", {
  headers: { authorization: "Bearer " + process.env.WAYBILL_KEY },
});
console.log(await rates.json());
\`\`\`

## Book the parcel

\`\`\`sh
curl -X POST https://api.waybill.example/shipments \\
  -H "Authorization: Bearer $WAYBILL_KEY" \\
  -H "Content-Type: application/json" \\
  --data '{"to": "DE-10115", "grams": 1200, "reference": "order-4711"}'
\`\`\`

> Parcels that are not handed over within five days are cancelled and not charged.

Next: [what to do when a request fails](errors.md).
`,
  "docs/errors.md": `---
title: Errors
description: What the statuses mean, and what to do.
order: 2
---

Every error has a body with \`code\`, \`detail\` and a request id. Send us the id when you ask for help.

| status | meaning | what to do |
|---|---|---|
| 400 | The request is not valid. | Read \`errors\`: it names the fields. |
| 401 | The key is missing, expired or disabled. | Look at [Keys](/keys). |
| 403 | The key may not do this. | Labels need the permission \`labels:write\`. |
| 429 | Too many requests, or the plan is used up. | Wait for \`Retry-After\`, or change the plan. |
| 5xx | A carrier or Waybill failed. | Try again with a pause that doubles each time. |
`,
};
