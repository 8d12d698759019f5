package belfry

// tokenResult receives a token, or the error of the program's token source.
type tokenResult func(token string, err error)

// tokens answers with the fixed token, or asks the token source and shares its answer between all who wait for it: at
// most one question is open at any time. Owner: the engine.
type tokens struct {
	fixed   string
	ask     func(reason TokenReason) // nil: there is no source
	waiting []tokenResult
	refused bool // whether the server refused the last token, which becomes the reason of the next question
}

func (t *tokens) renewable() bool { return t.ask != nil }

// request calls result with a token, now or later.
func (t *tokens) request(reason TokenReason, result tokenResult) {
	if t.ask == nil {
		result(t.fixed, nil)
		return
	}
	t.waiting = append(t.waiting, result)
	if len(t.waiting) == 1 {
		if t.refused {
			reason = TokenRefused
		}
		t.refused = false
		t.ask(reason)
	}
}

// answered handles the answer of the token source.
func (t *tokens) answered(token string, err error) {
	if err == nil {
		err = checkToken(token)
	}
	waiting := t.waiting
	t.waiting = nil
	for _, result := range waiting {
		result(token, err)
	}
}
