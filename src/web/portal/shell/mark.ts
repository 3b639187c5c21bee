import { createContext } from "react";

/** The address of the image beside the name, if it is not the saved one. */
export const Mark = createContext<string | undefined>(undefined);
