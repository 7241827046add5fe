"""How each service of a workspace is made of the others, a module a side; `Bench` names them all."""
