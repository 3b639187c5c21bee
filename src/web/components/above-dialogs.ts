import { createContext, type ReactNode } from "react";

/** A dialog that is shown above every open dialog, such as a new sign-in. */
export const AboveDialogs = createContext<ReactNode>(null);
