"""One module per vector instruction set: facts, and the verbs that are not one instruction."""
