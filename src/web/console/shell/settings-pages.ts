/** The tabs of the settings. */
export const settingsPages = [
  { value: "people", label: "People" },
  { value: "tokens", label: "Tokens" },
  { value: "issuers", label: "Trusted issuers" },
  { value: "buckets", label: "Key buckets" },
  { value: "portal", label: "Portal" },
  { value: "billing", label: "Billing" },
  { value: "exports", label: "Exports" },
  { value: "sessions", label: "Sessions" },
  { value: "system", label: "System" },
] as const;
