"""What the middleware answers, as the gateway says it, and the problem of each code of verify-key."""

# Written by `npm run generate`. Do not edit.

PROBLEMS = {
    "key_missing": (401, "This API requires a key; WWW-Authenticate names the header and its scheme."),
    "key_invalid": (401, "The key is not valid for this API."),
    "key_expired": (401, "The key has expired."),
    "key_disabled": (401, "The key is disabled."),
    "payment_required": (402, "An invoice is overdue; access returns when it is paid."),
    "credit_exhausted": (402, "The credits are used up; buy more."),
    "spend_cap_reached": (402, "The spending cap of this period is reached; raise it."),
    "consumer_suspended": (403, "This customer is suspended."),
    "ip_not_allowed": (403, "Requests from this address are not allowed."),
    "permission_missing": (403, "The key lacks the permission that this needs."),
    "no_subscription": (403, "There is no active subscription to this API."),
    "meter_not_in_plan": (403, "The plan does not include a meter that this request uses."),
    "quota_exceeded": (429, "Quota exceeded; Retry-After is the end of the period."),
    "rate_limited": (429, "Too many requests; retry after the time in Retry-After."),
    "verification_unavailable": (503, "The key cannot be verified at the moment. Try again shortly."),
}

CODES = {
    "malformed": "key_invalid",
    "not_found": "key_invalid",
    "expired": "key_expired",
    "disabled": "key_disabled",
    "consumer_suspended": "consumer_suspended",
    "ip_required": "ip_not_allowed",
    "ip_not_allowed": "ip_not_allowed",
    "permission_missing": "permission_missing",
    "rate_limited": "rate_limited",
    "quota_exceeded": "quota_exceeded",
    "no_subscription": "no_subscription",
    "meter_not_in_plan": "meter_not_in_plan",
    "spend_cap_reached": "spend_cap_reached",
    "credit_exhausted": "credit_exhausted",
    "payment_required": "payment_required",
}
