package script

import "go.starlark.net/syntax"

// Starlark bounds its steps but not what one step may build: "x" * 1000000000 is one step. So
// operators and methods that build are turned into calls of checked built-ins (see limits.go)
// before the file is compiled. Their names are no names of the language, so no file can use or hide
// them.
const (
	opAdd    = "+"
	opExtend = "+="
	opRepeat = "*"
	opFormat = "%"
	opIn     = "in"
	opMethod = "."
	// opNothing does nothing.
	opNothing = "pass"
)

// checkedMethods are the methods whose result may be much larger than what they are given.
var checkedMethods = map[string]bool{
	"join": true, "replace": true, "format": true, "extend": true,
}

// rewriteStmts rewrites statements in place.
func rewriteStmts(stmts []syntax.Stmt) {
	for _, s := range stmts {
		rewriteStmt(s)
	}
}

func rewriteStmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		rewriteAssign(s)
	case *syntax.DefStmt:
		rewriteParams(s.Params)
		rewriteStmts(s.Body)
	case *syntax.ExprStmt:
		s.X = rewrite(s.X)
	case *syntax.IfStmt:
		s.Cond = rewrite(s.Cond)
		rewriteStmts(s.True)
		rewriteStmts(s.False)
	case *syntax.ForStmt:
		s.X = rewrite(s.X)
		rewriteStmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = rewrite(s.Cond)
		rewriteStmts(s.Body)
		s.Body = withPlace(s.Body)
	case *syntax.ReturnStmt:
		s.Result = rewrite(s.Result)
	}
}

// withPlace gives the body of a loop that does nothing an instruction with a line, so that an error
// about the endless loop can name it.
func withPlace(body []syntax.Stmt) []syntax.Stmt {
	for _, s := range body {
		if b, ok := s.(*syntax.BranchStmt); !ok || b.Token != syntax.PASS {
			return body
		}
	}
	pos := syntax.Start(body[0])
	return append(body, &syntax.ExprStmt{X: callOf(opNothing, pos)})
}

// rewriteAssign: x *= y becomes x = x * y; x += y keeps its meaning for lists (it changes x in
// place), so only y is wrapped, by a check that sees both. A left side with a call in it is left
// alone: evaluating it twice would call twice.
func rewriteAssign(s *syntax.AssignStmt) {
	s.RHS = rewrite(s.RHS)
	switch s.Op {
	case syntax.PLUS_EQ:
		if !isNumber(s.RHS) && pure(s.LHS) {
			s.RHS = callOf(opExtend, s.OpPos, cloneExpr(s.LHS), s.RHS)
		}
	case syntax.STAR_EQ, syntax.PERCENT_EQ:
		if pure(s.LHS) {
			name := opRepeat
			if s.Op == syntax.PERCENT_EQ {
				name = opFormat
			}
			s.RHS = callOf(name, s.OpPos, cloneExpr(s.LHS), s.RHS)
			s.Op = syntax.EQ
		}
	}
}

func rewriteParams(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = rewrite(b.Y)
		}
	}
}

func rewriteAll(list []syntax.Expr) {
	for i := range list {
		list[i] = rewrite(list[i])
	}
}

// rewrite returns the expression to use in the place of e.
func rewrite(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *syntax.BinaryExpr:
		return rewriteBinary(e)
	case *syntax.CallExpr:
		return rewriteCall(e)
	case *syntax.Comprehension:
		e.Body = rewrite(e.Body)
		for _, c := range e.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				c.X = rewrite(c.X)
			case *syntax.IfClause:
				c.Cond = rewrite(c.Cond)
			}
		}
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = rewrite(e.Cond), rewrite(e.True), rewrite(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = rewrite(e.Key), rewrite(e.Value)
	case *syntax.DictExpr:
		rewriteAll(e.List)
	case *syntax.DotExpr:
		e.X = rewrite(e.X)
	case *syntax.IndexExpr:
		e.X, e.Y = rewrite(e.X), rewrite(e.Y)
	case *syntax.LambdaExpr:
		rewriteParams(e.Params)
		e.Body = rewrite(e.Body)
	case *syntax.ListExpr:
		rewriteAll(e.List)
	case *syntax.ParenExpr:
		e.X = rewrite(e.X)
	case *syntax.SliceExpr:
		e.X, e.Lo, e.Hi, e.Step = rewrite(e.X), rewrite(e.Lo), rewrite(e.Hi), rewrite(e.Step)
	case *syntax.TupleExpr:
		rewriteAll(e.List)
	case *syntax.UnaryExpr:
		e.X = rewrite(e.X)
	}
	return e
}

func rewriteBinary(e *syntax.BinaryExpr) syntax.Expr {
	e.X, e.Y = rewrite(e.X), rewrite(e.Y)
	switch e.Op {
	case syntax.PLUS:
		if !isNumber(e.X) && !isNumber(e.Y) {
			return callOf(opAdd, e.OpPos, e.X, e.Y)
		}
	case syntax.STAR:
		if !isNumber(e.X) || !isNumber(e.Y) {
			return callOf(opRepeat, e.OpPos, e.X, e.Y)
		}
	case syntax.PERCENT:
		if !isNumber(e.X) && !isNumber(e.Y) {
			return callOf(opFormat, e.OpPos, e.X, e.Y)
		}
	case syntax.IN:
		return callOf(opIn, e.OpPos, e.X, e.Y)
	}
	return e
}

// rewriteCall rewrites a call. Named arguments are binary expressions with "=" and stay.
func rewriteCall(e *syntax.CallExpr) syntax.Expr {
	for i, a := range e.Args {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ {
				a.Y = rewrite(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				a.X = rewrite(a.X)
				continue
			}
		}
		e.Args[i] = rewrite(a)
	}
	e.Fn = rewrite(e.Fn)
	if dot, ok := e.Fn.(*syntax.DotExpr); ok && checkedMethods[dot.Name.Name] {
		e.Args = append([]syntax.Expr{dot}, e.Args...)
		e.Fn = &syntax.Ident{NamePos: dot.NamePos, Name: opMethod}
	}
	return e
}

func callOf(name string, pos syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{
		Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos,
	}
}

func isNumber(e syntax.Expr) bool {
	l, ok := e.(*syntax.Literal)
	return ok && (l.Token == syntax.INT || l.Token == syntax.FLOAT)
}

// pure says whether e can be evaluated twice without a difference.
func pure(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Ident, *syntax.Literal:
		return true
	case *syntax.ParenExpr:
		return pure(e.X)
	case *syntax.DotExpr:
		return pure(e.X)
	case *syntax.IndexExpr:
		return pure(e.X) && pure(e.Y)
	}
	return false
}

// cloneExpr copies a pure expression: the resolver writes into its nodes.
func cloneExpr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: e.NamePos, Name: e.Name}
	case *syntax.Literal:
		c := *e
		return &c
	case *syntax.ParenExpr:
		return &syntax.ParenExpr{Lparen: e.Lparen, X: cloneExpr(e.X), Rparen: e.Rparen}
	case *syntax.DotExpr:
		name := &syntax.Ident{NamePos: e.NamePos, Name: e.Name.Name}
		return &syntax.DotExpr{X: cloneExpr(e.X), Dot: e.Dot, NamePos: e.NamePos, Name: name}
	case *syntax.IndexExpr:
		return &syntax.IndexExpr{
			X: cloneExpr(e.X), Lbrack: e.Lbrack, Y: cloneExpr(e.Y), Rbrack: e.Rbrack,
		}
	}
	panic("script: cloned an expression that is not pure")
}
