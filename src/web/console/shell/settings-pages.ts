/** The tabs of the settings. `isForProjects`: also for people whose role is limited to projects. */
export const settingsPages = [
  { value: "people", label: "People" },
  { value: "tokens", label: "Tokens" },
  { value: "issuers", label: "Trusted issuers" },
  { value: "buckets", label: "Key buckets" },
  { value: "portal", label: "Portal" },
  { value: "billing", label: "Billing" },
  { value: "exports", label: "Exports" },
  { value: "sessions", label: "Sessions", isForProjects: true },
  { value: "system", label: "System", isForProjects: true },
] as const;
