# window
