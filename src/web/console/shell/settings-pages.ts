/** The tabs of the settings. `isForProjects`: also for people whose role is limited to projects. */
export const settingsPages = [
  {
    value: "people",
    label: "People",
    about: "members users team roles invite invitations sso staff",
    isForAdmins: true,
  },
  { value: "tokens", label: "Tokens", about: "api access credentials automation" },
  { value: "issuers", label: "Trusted issuers", about: "oidc jwt github actions ci", isForAdmins: true },
  { value: "buckets", label: "Key buckets", about: "environments retrievable" },
  { value: "portal", label: "Portal", about: "site sign-up branding logo colour" },
  { value: "billing", label: "Billing", about: "tax taxes vat seller address stripe payment provider mail" },
  { value: "exports", label: "Exports", about: "s3 parquet warehouse data", isForAdmins: true },
  { value: "sessions", label: "Sessions", about: "sign-out devices", isForProjects: true },
  { value: "system", label: "System", about: "version health retention backup license", isForProjects: true },
] as const;
